import { DEMO_HARNESS } from '../domain/harness-names.js';
import { success } from '../domain/result.js';
import type { Harness } from './harness.js';

/** Where the demo agent is: the node to run it with and its bundled entry file. */
export type DemoProgram = { readonly nodePath: string; readonly agentPath: string };

/** The scripted agent that comes with orange. It reads TASK.md and its environment, no prompt. */
export function demoHarness(program: DemoProgram): Harness {
  return {
    name: DEMO_HARNESS,
    program: program.nodePath,
    canResume: false,
    takesSessionId: false,
    env: {},
    command: () => success([program.nodePath, program.agentPath]),
  };
}

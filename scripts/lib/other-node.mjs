import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { inCheckout } from './checkout.mjs';
import { npmEnvironment } from './npm-environment.mjs';
import { runProgram } from './run-program.mjs';
import { runStep } from './run-step.mjs';

/** The path of a Node of another major version, installed under .cache/ from the npm package `node`. */
export async function otherNode(major) {
  const folder = inCheckout('.cache', `node-${major}`);
  const binary = `${folder}/node_modules/node/bin/node`;
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  // The package fetches the binary in its install script, so that one is allowed here.
  const manifest = { private: true, allowScripts: { node: true } };
  writeFileSync(`${folder}/package.json`, JSON.stringify(manifest));
  await runStep(
    `Installing Node ${major}`,
    ['npm', 'install', `node@${major}`, '--no-audit', '--no-fund', '--no-package-lock'],
    { cwd: folder, env: npmEnvironment(process.env) },
  );
  return binary;
}

export async function nodeVersion(binary) {
  return (await runProgram(binary, ['--version'], { timeoutMs: 10_000 })).stdout.trim();
}

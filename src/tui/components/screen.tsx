import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { DashboardView } from '../view-model.js';
import { LineStack } from './line-stack.js';
import { LineText } from './line-text.js';
import { TaskList } from './task-list.js';

/** The whole screen: header, list or page, message, keys. */
export function Screen({ view }: { readonly view: DashboardView }): ReactElement {
  return (
    <Box flexDirection="column" width={view.width} height={view.height} overflow="hidden">
      {view.header === null ? null : <LineText line={view.header} />}
      {view.body.kind === 'list' ? (
        <TaskList body={view.body} height={view.bodyHeight} />
      ) : (
        <LineStack lines={view.body.lines} height={view.bodyHeight} />
      )}
      <LineStack lines={view.message} height={view.messageHeight} />
      {view.hints === null ? null : <LineText line={view.hints} />}
    </Box>
  );
}

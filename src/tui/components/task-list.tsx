import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Body } from '../view-model.js';
import { LineStack } from './line-stack.js';
import { LineText } from './line-text.js';

type Props = { readonly body: Extract<Body, { readonly kind: 'list' }>; readonly height: number };

/** The rows in sight, and below them what is told or asked about one task. */
export function TaskList({ body, height }: Props): ReactElement {
  return (
    <Box flexDirection="column" height={height} overflow="hidden">
      {body.titles === null ? null : <LineText line={body.titles} />}
      <Box flexDirection="column" height={body.listHeight} overflow="hidden">
        {body.rows.map((row) => (
          <LineText key={row.key} line={row.line} />
        ))}
      </Box>
      <LineStack lines={body.lower} height={body.lower.length} />
    </Box>
  );
}

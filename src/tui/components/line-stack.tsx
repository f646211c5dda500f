import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Line } from '../palette.js';
import { LineText } from './line-text.js';

/** Lines from the top of an area that keeps its height, however few they are. */
export function LineStack({
  lines,
  height,
}: {
  readonly lines: readonly Line[];
  readonly height: number;
}): ReactElement {
  return (
    <Box flexDirection="column" height={height} overflow="hidden">
      {lines.slice(0, height).map((line, index) => (
        <LineText key={index} line={line} />
      ))}
    </Box>
  );
}

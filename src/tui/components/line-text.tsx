import { Text } from 'ink';
import type { ReactElement } from 'react';
import type { Line, Tone } from '../palette.js';

/** One line of the screen, in the tones the view-model gave it. */
export function LineText({ line }: { readonly line: Line }): ReactElement {
  return (
    <Text wrap="truncate-end">
      {line.every((part) => part.text === '') ? ' ' : null}
      {line.map((part, index) => (
        // Spans have no identity of their own: their place in the line is their key.
        <Text key={index} {...textProps(part.tone)}>
          {part.text}
        </Text>
      ))}
    </Text>
  );
}

function textProps(tone: Tone): {
  readonly color?: string;
  readonly bold: boolean;
  readonly dimColor: boolean;
  readonly inverse: boolean;
} {
  return {
    ...(tone.color === undefined ? {} : { color: tone.color }),
    bold: tone.isBold ?? false,
    dimColor: tone.isDim ?? false,
    inverse: tone.isInverse ?? false,
  };
}

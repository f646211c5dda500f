/** Rows of texts as aligned lines; with `heads`, as a Markdown table that also reads well as plain text. */
export function table(rows, heads = null) {
  const all = heads === null ? rows : [heads, ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const cells = (row) => row.map((text, column) => text.padEnd(widths[column]));
  if (heads === null) return rows.map((row) => `  ${cells(row).join('  ')}`.trimEnd()).join('\n');
  const line = (row) => `| ${cells(row).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(heads), rule, ...rows.map(line)].join('\n');
}

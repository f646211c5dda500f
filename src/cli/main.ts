const words = process.argv.slice(2);

/** Answers what is asked most often without loading the whole program; null when it must be. */
async function answerQuickly(): Promise<string | null> {
  if (words.length === 1 && (words[0] === '--version' || words[0] === '-v')) {
    return `${__ORANGE_VERSION__}\n`;
  }
  if (words[0] !== 'ls' && words[1] !== 'list') return null;
  const { listQuickly, readListWords } = await import('./list-quickly.js');
  const wish = readListWords(words);
  return wish === null ? null : listQuickly(wish, { env: process.env, cwd: process.cwd() });
}

async function endUnwritten(error: NodeJS.ErrnoException): Promise<void> {
  const output = await import('./process-output.js');
  output.endUnwritten(process, error);
}

// Whatever goes wrong on the short way is found, and told, on the long one.
const answer = await answerQuickly().catch(() => null);
if (answer === null) {
  const { runProgram } = await import('./program.js');
  await runProgram(process, import.meta.url);
} else {
  process.stdout.on('error', (error) => void endUnwritten(error));
  process.stdout.write(answer);
}

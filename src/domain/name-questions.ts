/** Questions by their numbers, in words: `question 2`, `questions 1, 2 and 5`. */
export function nameQuestions(numbers: readonly number[]): string {
  const [only] = numbers;
  if (numbers.length < 2) return only === undefined ? 'what you asked' : `question ${only}`;
  return `questions ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`;
}

/** The value below which the given share of the numbers lies, between the two nearest of them. */
export function quantile(numbers, share) {
  const sorted = numbers.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const low = Math.floor(place);
  const [below, above] = [sorted[low], sorted[Math.min(low + 1, sorted.length - 1)]];
  return below + (above - below) * (place - low);
}

export function median(numbers) {
  return quantile(numbers, 0.5);
}

export function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

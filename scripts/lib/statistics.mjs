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

/**
 * The slope of a line through points `[x, y]` that a few stray points do not bend: the median of the
 * slopes between all pairs (Theil and Sen), of at most `most` points taken evenly.
 */
export function robustSlope(points, most = 400) {
  const step = Math.max(1, Math.ceil(points.length / most));
  const few = points.filter((_, index) => index % step === 0);
  const slopes = few.flatMap(([x, y], index) =>
    few.slice(index + 1).flatMap(([laterX, laterY]) => {
      return laterX === x ? [] : [(laterY - y) / (laterX - x)];
    }),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

/** Milliseconds on a clock that is one and the same in every process of the machine. */
export function monotonicMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Megabytes that memory may seem to grow by, because the collector runs when it likes. */
const noise = 20;

/**
 * Whether memory is flat, by the line that fits the samples best. The first third is left out: caches fill there.
 * @param {readonly { minute: number, bytes: number }[]} samples one a minute
 * @returns {{ isFlat: boolean, text: string }}
 */
export function growthOf(samples) {
  const measured = samples.slice(Math.floor(samples.length / 3));
  if (measured.length < 2) return { isFlat: true, text: "too short a time to tell" };
  const perMinute = slopeOf(measured) / 1e6;
  const grown = perMinute * (measured.length - 1);
  const isFlat = grown < noise;
  const text = `${isFlat ? "flat" : "GROWS"}: ${perMinute.toFixed(2)} MB a minute, ${grown.toFixed(1)} MB in ${measured.length - 1} minutes`;
  return { isFlat, text };
}

/** Least squares. */
function slopeOf(samples) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const middle = mean(samples.map(({ minute }) => minute));
  const level = mean(samples.map(({ bytes }) => bytes));
  const over = samples.reduce((sum, { minute, bytes }) => sum + (minute - middle) * (bytes - level), 0);
  return over / samples.reduce((sum, { minute }) => sum + (minute - middle) ** 2, 0);
}

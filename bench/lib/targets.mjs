/** The target of a benchmark. A target that is missed is listed at the end, and makes the benchmark exit with 1. */
const missed = [];

/** Checks a figure that must be at least the target. Returns the target as a cell of a table. */
export function atLeast(what, figure, target, unit = "x") {
  if (target === undefined) return "-";
  if (figure < target) missed.push(`${what}: ${figure.toFixed(2)}${unit}, target ${target}${unit}`);
  return `${target}${unit}${figure < target ? " MISSED" : ""}`;
}

/** Checks a figure that must stay below the target. */
export function below(what, figure, target, unit) {
  if (figure >= target) missed.push(`${what}: ${figure.toFixed(1)} ${unit}, target below ${target} ${unit}`);
  return `< ${target} ${unit}${figure >= target ? " MISSED" : ""}`;
}

/** Prints the missed targets and ends the process: with 1 if there are any. */
export function finish() {
  if (missed.length > 0) console.log(`\n${missed.length} targets missed:\n  ${missed.join("\n  ")}`);
  process.exit(missed.length > 0 ? 1 : 0);
}

import type { StoredThing } from "./rollout-items.ts";

/** Returns a share of a number of things, rounded up. */
export function shareOf(total: number, share: number): number {
  // 0.1 * 30 is more than 3 in binary.
  return Math.ceil(Number((total * share).toFixed(6)));
}

/** Returns the sizes of the waves for a number of things. A share is rounded up; the rest is the last wave. */
export function waveSizes(waves: readonly (number | string)[], total: number): number[] {
  const sizes: number[] = [];
  let left = total;
  for (const wave of [...waves, total]) {
    const size = typeof wave === "number" ? wave : shareOf(total, Number.parseFloat(wave) / 100);
    const taken = Math.min(left, size);
    if (taken > 0) sizes.push(taken);
    left -= taken;
  }
  return sizes;
}

/** The things in their waves. */
export function inWaves(
  things: readonly string[],
  sizes: readonly number[],
): Pick<StoredThing, "wave" | "thing">[] {
  let first = 0;
  return sizes.flatMap((size, wave) => {
    const own = things.slice(first, first + size).map((thing) => ({ thing, wave }));
    first += size;
    return own;
  });
}

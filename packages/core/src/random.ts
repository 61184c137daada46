/** A source of random numbers in [0, 1). Injected, so that a seed repeats a run. */
export type Random = () => number;

/** The machine's own randomness, good enough for jitter; ids come from `crypto.randomUUID`. */
export const systemRandom: Random = () => Math.random();

import { setOwn } from "../values/wire-value.ts";

/** Deeper than any request that is accepted. */
const maxDepth = 50;

/**
 * A copy of a request that waits for its turn: what its caller does to the objects meanwhile does not count. One that
 * goes on too deep, or for ever, is left as it is: it will be refused.
 */
export function takenInput(input: unknown): unknown {
  try {
    return copyOf(input, 0);
  } catch (error) {
    if (error instanceof TooDeep) return input;
    throw error;
  }
}

class TooDeep extends Error {}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) throw new TooDeep();
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (Array.isArray(value)) return value.map((element) => copyOf(element, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    setOwn(copy, name, copyOf((value as Record<string, unknown>)[name], depth + 1));
  }
  return copy;
}

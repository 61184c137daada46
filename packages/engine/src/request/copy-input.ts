import { setOwn } from "../values/wire-value.ts";

/** Deeper than any valid request. */
const maxDepth = 50;

/**
 * Copies a request that waits in a queue, so that later changes by its caller have no effect. A cyclic or too deep
 * input is returned unchanged, and rejected later.
 */
export function copyInput(input: unknown): unknown {
  try {
    return copyValue(input, 0);
  } catch (error) {
    if (error instanceof TooDeep) return input;
    throw error;
  }
}

class TooDeep extends Error {}

function copyValue(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) throw new TooDeep();
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (Array.isArray(value)) return value.map((element) => copyValue(element, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    setOwn(copy, name, copyValue((value as Record<string, unknown>)[name], depth + 1));
  }
  return copy;
}

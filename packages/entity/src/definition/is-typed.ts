import type { Typed } from "./decision.ts";

/** Whether a value is an object with a type. */
export function isTyped(value: unknown): value is Typed {
  return typeof value === "object" && value !== null && typeof (value as Partial<Typed>).type === "string";
}

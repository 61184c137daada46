import { type Clock, withDeadline } from "@tablekeep/core";
import type { Projection } from "../projection.ts";
import { optionInvalid, ProjectionError } from "../projection-error.ts";

/**
 * Returns the offset that the other database has for a slice; undefined if it has none, or if the projection has another mode. Throws for
 * anything that is not an offset, such as the string to which a driver converts a large integer: events would be skipped or applied twice.
 */
export async function externalOffset(
  { definition, name }: Projection,
  slice: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<number | undefined> {
  if (definition.mode !== "external") return undefined;
  const { handlerDeadlineMs: ms = 30_000 } = definition;
  const timedOut = () => handlerTimeout("loadPosition", name, ms);
  const stored: unknown = await withDeadline(async () => definition.loadPosition(slice), {
    clock,
    ms,
    timedOut,
    ...(signal && { signal }),
  });
  if (stored === undefined) return undefined;
  const offset = (stored as { offset?: unknown } | null)?.offset;
  if (Number.isSafeInteger(offset) && (offset as number) >= 0) return offset as number;
  const got = typeof offset === "string" ? JSON.stringify(offset.slice(0, 40)) : typeof offset;
  throw optionInvalid(
    "loadPosition",
    `must return undefined, or an object whose offset is an integer of at least 0, got ${got} for slice ${slice}`,
  );
}

/** Makes the error of a function of a projection that takes too long. */
export function handlerTimeout(
  what: string,
  name: string,
  deadlineMs: number,
): ProjectionError<"PROJECTION_HANDLER_TIMEOUT"> {
  const message = `${what} of projection ${name} did not return within ${deadlineMs} ms`;
  return new ProjectionError("PROJECTION_HANDLER_TIMEOUT", message, { name, deadlineMs });
}

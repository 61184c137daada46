import type { OperationName } from "@tablekeep/core";
import type { ReadPath, TestTable } from "./tables.ts";

/** One operation on both backends. */
export interface Step {
  readonly operation: OperationName;
  readonly input: Readonly<Record<string, unknown>>;
  /**
   * For a request with a planted fault: its place, as members from the outermost, and the request without the fault.
   */
  readonly planted?: { readonly place: readonly (string | number)[]; readonly base: Step };
  /**
   * For a query or scan: read all pages, each with the key from the previous one, of each segment if there are
   * several.
   */
  readonly allPages?: { readonly table: TestTable; readonly path: ReadPath; readonly segments?: number };
}

/** A place in a request: the members and elements that lead to it. */
export type Place = readonly (string | number)[];

/** Returns all places in a value, each before those within it. */
export function placesIn(value: unknown, here: Place = []): Place[] {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return [];
  return Object.keys(value).flatMap((name) => {
    const place = [...here, Array.isArray(value) ? Number(name) : name];
    return [place, ...placesIn((value as Record<string, unknown>)[name], place)];
  });
}

/** Returns the value at a place. */
export function valueAt(value: unknown, place: Place): unknown {
  return place.reduce((each, part) => (each as Record<string | number, unknown>)[part], value);
}

/** Returns the value with something else at a place; undefined removes the place. */
export function replaceAt(value: unknown, [part, ...rest]: Place, by: unknown): unknown {
  if (part === undefined) return by;
  if (Array.isArray(value)) {
    const changed = value.map((each: unknown, at) => (at === part ? replaceAt(each, rest, by) : each));
    return changed.filter((each) => each !== undefined);
  }
  const copy = { ...(value as Record<string, unknown>) };
  const changed = replaceAt(copy[part], rest, by);
  if (changed === undefined) delete copy[part];
  else copy[part] = changed;
  return copy;
}

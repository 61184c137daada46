/** Where something stands in a request: the members and elements that lead to it. */
export type Place = readonly (string | number)[];

/** All places in a value, each before those within it. */
export function placesIn(value: unknown, here: Place = []): Place[] {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return [];
  return Object.keys(value).flatMap((name) => {
    const place = [...here, Array.isArray(value) ? Number(name) : name];
    return [place, ...placesIn((value as Record<string, unknown>)[name], place)];
  });
}

/** What stands there. */
export function valueAt(value: unknown, place: Place): unknown {
  return place.reduce((each, part) => (each as Record<string | number, unknown>)[part], value);
}

/** The same value with something else there; undefined leaves the place out. */
export function changedAt(value: unknown, [part, ...rest]: Place, by: unknown): unknown {
  if (part === undefined) return by;
  if (Array.isArray(value)) {
    const changed = value.map((each: unknown, at) => (at === part ? changedAt(each, rest, by) : each));
    return changed.filter((each) => each !== undefined);
  }
  const copy = { ...(value as Record<string, unknown>) };
  const changed = changedAt(copy[part], rest, by);
  if (changed === undefined) delete copy[part];
  else copy[part] = changed;
  return copy;
}

export const slices = 2;

export function keyOf(generation, slice, number) {
  return `page-${generation}-${slice}-${number}`;
}

/** Returns how many pages a slice has, by a search that relies on there being no holes. */
export function* tailOf(generation, slice) {
  let low = 0;
  let step = 1;
  while ((yield { get: keyOf(generation, slice, low + step - 1) }) !== undefined) {
    low += step;
    step *= 2;
  }
  let high = low + step - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((yield { get: keyOf(generation, slice, middle) }) !== undefined) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Puts a page if no item has its key. Returns true once it is there; a lost answer is settled by reading. */
export function* put(world, truth, place, page) {
  const key = keyOf(place.generation, place.slice, place.number);
  const by = world.newId("p");
  const done = () => truth.added(place, page);
  const write = [{ key, when: (item) => item === undefined, to: () => ({ ...page, by }) }];
  const { ok } = yield { write, done, loses: true };
  return ok === true || (yield { get: key })?.by === by;
}

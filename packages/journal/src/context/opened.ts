/**
 * What an open journal or snapshot store is made of, for functions of this package that work on both at once. A handle that
 * somebody else made, or wrapped, has nothing here.
 */
const inside = new WeakMap<object, object>();

/** Remembers what a handle is made of, and returns the handle. */
export function remember<Handle extends object>(handle: Handle, parts: object): Handle {
  inside.set(handle, parts);
  return handle;
}

/** Returns what was remembered of a handle; undefined if nothing was. */
export function partsOf<Parts extends object>(handle: object): Parts | undefined {
  return inside.get(handle) as Parts | undefined;
}

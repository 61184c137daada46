/**
 * The contexts of open journals and snapshot stores, for functions of this package that need both. A wrapped handle has
 * none.
 */
const inside = new WeakMap<object, object>();

/** Records the context of a handle, and returns the handle. */
export function remember<Handle extends object>(handle: Handle, parts: object): Handle {
  inside.set(handle, parts);
  return handle;
}

/** Returns the context of a handle; undefined if there is none. */
export function partsOf<Parts extends object>(handle: object): Parts | undefined {
  return inside.get(handle) as Parts | undefined;
}

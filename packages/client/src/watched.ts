/** A promise whose failure is looked at later: until then it is no unhandled one. */
export function watched<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

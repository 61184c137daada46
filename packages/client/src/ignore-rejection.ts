/** Returns the promise, and keeps Node from reporting its rejection as unhandled: somebody awaits it later. */
export function ignoreRejection<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

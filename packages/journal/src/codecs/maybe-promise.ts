/** A value, or a promise of it. A value is used at once, because most codecs are synchronous. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues with a value now, or once its promise is fulfilled. */
export function continueWith<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The number of payloads that are encoded or decoded concurrently if codecs are asynchronous. */
export const maxConcurrentPayloads = 16;

/**
 * Returns the results of `work` in the order of the items. Waits only if one of them is a promise, and has a bounded number in
 * flight then. After a failure it starts no more.
 */
export function mapInOrder<Value, Result>(
  items: readonly Value[],
  work: (item: Value, index: number) => MaybePromise<Result>,
): MaybePromise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at++) {
    const result = work(items[at] as Value, at);
    if (result instanceof Promise) return restInOrder(items, work, results, result);
    results.push(result);
  }
  return results;
}

async function restInOrder<Value, Result>(
  items: readonly Value[],
  work: (item: Value, index: number) => MaybePromise<Result>,
  results: Result[],
  first: Promise<Result>,
): Promise<Result[]> {
  const begun: MaybePromise<Result>[] = [first];
  first.catch(ignore);
  for (let at = results.length; at < items.length; at++) {
    for (let next = at + begun.length; begun.length < maxConcurrentPayloads && next < items.length; next++) {
      const result = attempt(() => work(items[next] as Value, next));
      begun.push(result);
    }
    results.push(await (begun.shift() as MaybePromise<Result>));
  }
  return results;
}

/** A failure becomes a rejected promise, which is reported when its turn comes. */
export function attempt<Result>(work: () => MaybePromise<Result>): MaybePromise<Result> {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(ignore);
    return result;
  } catch (error) {
    const failed = Promise.reject(error);
    failed.catch(ignore);
    return failed;
  }
}

function ignore(): void {}

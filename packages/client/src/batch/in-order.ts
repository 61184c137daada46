/**
 * Runs `run` on each input, at most `parallel` at a time, and yields the results in the order of the inputs. Inputs are
 * read only as slots become free. However it ends, nothing is left running: if the inputs fail, the results of what was
 * started are yielded first; if a run fails or the consumer stops, calls `stop` and waits for what is running.
 */
export async function* inOrder<Input, Output>(
  inputs: AsyncIterable<Input>,
  parallel: number,
  run: (input: Input) => Promise<Output>,
  stop: () => void = () => {},
): AsyncGenerator<Output> {
  const running: Promise<Output>[] = [];
  const source = inputs[Symbol.asyncIterator]();
  let exhausted = false;
  let sourceFailure: { readonly error: unknown } | undefined;
  try {
    for (;;) {
      while (!exhausted && running.length < parallel) {
        try {
          const next = await source.next();
          if (next.done === true) exhausted = true;
          else running.push(handled(run(next.value)));
        } catch (error) {
          exhausted = true;
          sourceFailure = { error };
        }
      }
      const first = running.shift();
      if (first === undefined) break;
      yield await first;
    }
    if (sourceFailure !== undefined) throw sourceFailure.error;
  } finally {
    if (running.length > 0) stop();
    await Promise.allSettled(running);
    if (!exhausted) await source.return?.();
  }
}

/** Awaited later; until then its rejection must not count as unhandled. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

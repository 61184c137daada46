/**
 * Returns the values of a source in batches: the values that have arrived when the next batch is read, at least one and at most `maxLength`. Reads
 * ahead, so the caller must end the source when it does not read on.
 */
export async function* inBatches<Value>(
  source: AsyncIterable<Value>,
  maxLength: number,
): AsyncGenerator<readonly Value[], void, undefined> {
  let waiting: Value[] = [];
  let isDone = false;
  let onArrival = () => {};
  let onSpace = () => {};
  const read = async () => {
    for await (const value of source) {
      waiting.push(value);
      onArrival();
      while (waiting.length >= maxLength && !isDone)
        await new Promise<void>((resolve) => (onSpace = resolve));
      if (isDone) return;
    }
  };
  const reading = read().finally(() => {
    isDone = true;
    onArrival();
  });
  // Awaited below, after the values that were read before the failure.
  reading.catch(() => {});
  try {
    for (;;) {
      while (waiting.length === 0 && !isDone) await new Promise<void>((resolve) => (onArrival = resolve));
      if (waiting.length === 0) return await reading;
      const batch = waiting;
      waiting = [];
      onSpace();
      yield batch;
    }
  } finally {
    isDone = true;
    onSpace();
  }
}

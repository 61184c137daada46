/** Runs tasks, at most `parallel` at a time; resolves when all have ended. Tasks do not fail. */
export async function inParallel(tasks: readonly (() => Promise<void>)[], parallel: number): Promise<void> {
  const waiting = tasks.values();
  const worker = async () => {
    for (const task of waiting) await task();
  };
  await Promise.all(Array.from({ length: Math.min(parallel, tasks.length) }, worker));
}

/** Lists of at most `size` elements, in order. */
export function chunksOf<Element>(elements: readonly Element[], size: number): Element[][] {
  const chunks: Element[][] = [];
  for (let at = 0; at < elements.length; at += size) chunks.push(elements.slice(at, at + size));
  return chunks;
}

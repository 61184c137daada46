import { importLines } from "./tables-api.ts";

export interface ImportFileOptions {
  readonly signal: AbortSignal;
  /** Called after each part with the number of stored items, and the part of the file that is read. */
  readonly onProgress: (items: number, part: number) => void;
}

/** Characters of lines that are sent together. A longer line is sent alone. */
const partLength = 512 * 1024;
/** An item has at most 400 KB; its JSON may be six times as long, if every character is escaped. */
const longestLine = 4 * 1024 * 1024;

/**
 * Stores the items of a file of any size, a part of it at a time. Ends with the first part that fails, or when it is aborted;
 * what is stored by then stays.
 */
export async function importFile(
  table: string,
  file: Blob,
  { signal, onProgress }: ImportFileOptions,
): Promise<{ readonly items: number; readonly error?: Error }> {
  let items = 0;
  let bytes = 0;
  let firstLine = 1;
  try {
    for await (const { text, lines, read } of partsOf(file, signal)) {
      items += await importLines(table, { text, firstLine, signal });
      firstLine += lines;
      bytes = read;
      onProgress(items, file.size === 0 ? 1 : bytes / file.size);
    }
    return { items };
  } catch (error) {
    if (signal.aborted) return { items, error: new Error("Stopped") };
    return { items, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/** Whole lines, and the bytes of the file up to them. */
async function* partsOf(file: Blob, signal: AbortSignal) {
  let read = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      read += chunk.length;
      controller.enqueue(chunk);
    },
  });
  const decoder = new TextDecoderStream("utf-8", { fatal: true }) as unknown as ReadableWritablePair<
    string,
    Uint8Array
  >;
  const reader = file.stream().pipeThrough(count).pipeThrough(decoder).getReader();
  let held = "";
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value = "" } = await reader.read();
      held += value;
      if (held.length > longestLine && !held.includes("\n"))
        throw new Error("A line is longer than any item: the file must have one item per line");
      const end = done ? held.length : held.lastIndexOf("\n") + 1;
      if (end < (done ? 1 : partLength)) {
        if (done) return;
        continue;
      }
      const text = held.slice(0, end);
      held = held.slice(end);
      yield { text, lines: text.split("\n").length - 1, read };
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

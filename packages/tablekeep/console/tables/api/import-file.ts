import { ApiError } from "../../api/call-api.ts";
import { importLines } from "./tables-api.ts";

export interface ImportFileOptions {
  /** The id to undo the import by; undefined if it cannot be undone. */
  readonly undo: string | undefined;
  /** Asks whether to continue although the import cannot be undone then. */
  readonly onTooLarge: () => Promise<boolean>;
  readonly signal: AbortSignal;
  /** Called after each part with the number of stored items, and the part of the file that is read. */
  readonly onProgress: (items: number, part: number) => void;
}

export interface ImportResult {
  /** Stored items. */
  readonly items: number;
  /** Whether further items may be stored: those of the part that failed. */
  readonly mayBeMore: boolean;
  /** The id to undo the import by, if there is something to undo. */
  readonly undo?: string | undefined;
  readonly error?: Error;
}

/** Characters of lines that are sent together. A longer line is sent alone. */
const partLength = 512 * 1024;
/** An item has at most 400 KB; its JSON may be six times as long, if every character is escaped. */
const longestLine = 4 * 1024 * 1024;

/**
 * Stores the items of a file of any size, a part of it at a time. Ends with the first part that fails, or when it is aborted;
 * items stored by then stay.
 */
export async function importFile(
  table: string,
  file: Blob,
  { undo: wanted, onTooLarge, signal, onProgress }: ImportFileOptions,
): Promise<ImportResult> {
  let items = 0;
  let undo = wanted;
  let bytes = 0;
  let firstLine = 1;
  try {
    for await (const { text, lines, read } of partsOf(file, signal)) {
      try {
        items += await importLines(table, { text, firstLine, undo, signal });
      } catch (error) {
        const isTooLarge = undo !== undefined && error instanceof ApiError && error.status === 409;
        if (!isTooLarge) throw error;
        if (!(await onTooLarge())) throw new Error("Stopped");
        undo = undefined;
        items += await importLines(table, { text, firstLine, undo, signal });
      }
      firstLine += lines;
      bytes = read;
      onProgress(items, file.size === 0 ? 1 : bytes / file.size);
    }
    return { items, mayBeMore: false, ...(items > 0 && { undo }) };
  } catch (error) {
    // Only a part with an invalid line is sure to have stored nothing.
    const mayBeMore = !(error instanceof ApiError) || error.status !== 400;
    const kept = (items > 0 || mayBeMore) && { undo };
    if (signal.aborted) return { items, mayBeMore, ...kept, error: new Error("Stopped") };
    return { items, mayBeMore, ...kept, error: error instanceof Error ? error : new Error(String(error)) };
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

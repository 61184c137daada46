import type { FileMessage } from "./file-message.ts";
import { contentOf } from "./stored-content.ts";

/** What one import has read so far. */
export interface ImportedContent {
  /** Adds a message. `bytes` identifies its bytes, and `stored` is how many messages with its content the store had before the import. */
  add(message: Pick<FileMessage, "raw" | "mbox">, bytes: string, stored: number): AddedContent;
  /** Other messages with the content of those so far are copies. */
  endSource(): void;
}

export interface AddedContent {
  /** Whether the message is a copy of one that is stored. */
  readonly isPresent: boolean;
  /** Messages with the same bytes before it in its mbox file. */
  readonly copies: number;
}

/** Creates an empty record. Copies in one mbox file are different messages, and so are other files of one source whose bytes differ. */
export function importedContent(): ImportedContent {
  /** The bytes of single messages of this source, and how many messages of each content were added from them. */
  const files = new Set<string>();
  const fromFiles = new Map<string, number>();
  /** The same for mbox files that have ended, and for earlier sources. */
  const earlier = new Map<string, number>();
  let current = mboxContent(undefined);
  const addMbox = (content: string, bytes: string, stored: number) => {
    const before = stored + (fromFiles.get(content) ?? 0) + (earlier.get(content) ?? 0);
    const isPresent = before > increase(current.contents, content);
    if (!isPresent) increase(current.added, content);
    return { isPresent, copies: increase(current.bytes, bytes) };
  };
  return {
    add({ raw, mbox }, bytes, stored) {
      const content = contentOf(raw);
      if (mbox !== current.file) {
        addAll(earlier, current.added);
        current = mboxContent(mbox);
      }
      if (mbox !== undefined) return addMbox(content, bytes, stored);
      const isPresent = stored > 0 || files.has(bytes) || earlier.has(content);
      files.add(bytes);
      if (!isPresent) increase(fromFiles, content);
      return { isPresent, copies: 0 };
    },
    endSource() {
      addAll(earlier, current.added);
      addAll(earlier, fromFiles);
      current = mboxContent(undefined);
      fromFiles.clear();
      files.clear();
    },
  };
}

/** Counts for the mbox file that is being read: of contents, of those that were added, and of bytes. */
function mboxContent(file: string | undefined) {
  return {
    file,
    contents: new Map<string, number>(),
    added: new Map<string, number>(),
    bytes: new Map<string, number>(),
  };
}

/** Returns the count before. */
function increase(counts: Map<string, number>, key: string): number {
  const count = counts.get(key) ?? 0;
  counts.set(key, count + 1);
  return count;
}

function addAll(counts: Map<string, number>, added: ReadonlyMap<string, number>): void {
  for (const [key, count] of added) counts.set(key, count + (counts.get(key) ?? 0));
}

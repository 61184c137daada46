import type { FileMessage } from "./file-message.ts";
import { contentOf } from "./stored-content.ts";

/** The content that one import has read so far. */
export interface ImportedContent {
  /** Adds a message. `bytes` identifies its bytes, and `stored` is the number of messages with its content that the store had before the import. */
  add(message: Pick<FileMessage, "raw" | "mbox">, bytes: string, stored: number): AddedContent;
  /** Marks the end of a file: further messages with the same content are copies. */
  endSource(): void;
}

export interface AddedContent {
  /** Whether the message is a copy of a stored one. */
  readonly isPresent: boolean;
  /** The number of earlier messages with the same bytes in its mbox file. */
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

/** Counts for the current mbox file: of contents, of added contents, and of bytes. */
function mboxContent(file: string | undefined) {
  return {
    file,
    contents: new Map<string, number>(),
    added: new Map<string, number>(),
    bytes: new Map<string, number>(),
  };
}

/** Returns the previous count. */
function increase(counts: Map<string, number>, key: string): number {
  const count = counts.get(key) ?? 0;
  counts.set(key, count + 1);
  return count;
}

function addAll(counts: Map<string, number>, added: ReadonlyMap<string, number>): void {
  for (const [key, count] of added) counts.set(key, count + (counts.get(key) ?? 0));
}

import { checkPort, type DynamoPort, optionCheck } from "@tablekeep/core";
import type { Journal } from "./context/journal.ts";
import type { JournalOptions } from "./context/journal-options.ts";
import { openJournal } from "./open-journal.ts";

/** A journal that is opened when it is first used: a port, and the options of `openJournal`. */
export interface JournalConnection extends JournalOptions {
  readonly port: DynamoPort;
}

/**
 * Returns a function that returns the given journal, or the one that its first call opens. After a failure, the next call opens it
 * again. For adapters of other libraries: `optionInvalid` makes the adapter's own error.
 *
 * @example
 * const journal = journalSource({ port, table: "events" }, (option, reason) => new TypeError(`option ${option} ${reason}`));
 * await (await journal()).highestSequenceNr("cart-1");
 */
export function journalSource(
  source: Journal | JournalConnection,
  optionInvalid: (option: string, reason: string) => Error,
): () => Promise<Journal> {
  if (isJournal(source)) return () => Promise.resolve(source);
  const { port, ...options } = source ?? {};
  checkPort(port, optionInvalid);
  let opened: Promise<Journal> | undefined;
  return () => {
    opened ??= openJournal(port, options).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}

function isJournal(source: Journal | JournalConnection): source is Journal {
  return optionCheck.objectWith("append", "replay", "highestSequenceNr")(source) === undefined;
}

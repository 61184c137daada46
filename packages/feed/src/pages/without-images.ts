import type { JournalChanges, JournalWrite } from "@tablekeep/journal/changes";

/**
 * Returns a journal as a stream without images shows it: each event is a separate write, of which only the sequence number is known. Sweeps and
 * verifications of such a feed must name writes in the same way.
 */
export function withoutImages(changes: JournalChanges): JournalChanges {
  return {
    ...changes,
    writesOf: ({ kind, keys }) => changes.writesOf({ kind, keys }),
    async *writesOfId(persistenceId, call) {
      for await (const { first, last } of changes.writesOfId(persistenceId, call))
        for (let number = first; number <= last; number++) yield writeOf(persistenceId, number);
    },
  };
}

function writeOf(persistenceId: string, number: number): JournalWrite {
  return { persistenceId, first: number, last: number, mark: 0, writer: 0 };
}

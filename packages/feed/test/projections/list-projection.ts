import { defineProjection, type Projection } from "../../src/projections/index.ts";

/** What a test changes of the projection. */
export type ListChanges = Partial<Parameters<typeof defineProjection>[0]> & {
  fails?: (id: string, nr: number) => boolean;
};

/**
 * A read model that shows what was applied: per id the list of sequence numbers, by reading and putting; and the number of all events, by an update
 * that all slices share.
 */
export function listsInto(modelTable: string, { fails, ...definition }: ListChanges = {}): Projection {
  return defineProjection({
    name: "lists",
    retry: { attempts: 2, backoffMs: 1, maxBackoffMs: 2 },
    ...(definition as object),
    mode: "exactly-once",
    handle: async ({ persistenceId, sequenceNr }, tx) => {
      if (fails?.(persistenceId, sequenceNr) === true)
        throw new Error(`event ${sequenceNr} of ${persistenceId}`);
      const id = { S: `${persistenceId}@${tx.version}` };
      const before = await tx.get(modelTable, { id });
      const list = [...(before?.["list"]?.L ?? []), { N: String(sequenceNr) }];
      tx.put(modelTable, { id, list: { L: list } });
      tx.update(modelTable, { id: { S: `all@${tx.version}` } }, { add: { events: { N: "1" } } });
    },
  });
}

import type { CallOptions, DynamoPort, Key } from "@tablekeep/core";
import { buildContext } from "../context/build-context.ts";
import type { JournalEvent, KnownId } from "../context/journal.ts";
import { isShared, type JournalContext } from "../context/journal-context.ts";
import type { JournalOptions, ResolvedJournalOptions } from "../context/journal-options.ts";
import type { LayoutName } from "../layouts/layout.ts";
import { currentPersistenceIds } from "../queries/persistence-ids.ts";
import { checkSettingsToRead } from "../settings/check-settings.ts";
import { type JournalWrite, type StreamChange, writesOfChange } from "./journal-write.ts";
import {
  type Neighbors,
  readNeighbors,
  readWrites,
  type WriteRange,
  type WritesOfIdOptions,
  type WriteToRead,
  writesOfId,
} from "./read-writes.ts";

/** The part of a journal that a feed needs. */
export interface JournalChanges {
  readonly table: string;
  readonly layout: LayoutName;
  /** Whether an Akka plugin may write the journal too. */
  readonly isShared: boolean;
  /** Returns the writes that a change commits: none for most. */
  writesOf(change: StreamChange): readonly JournalWrite[];
  /** Returns the ids that the journal has now. */
  persistenceIds(options?: { readonly signal?: AbortSignal }): AsyncIterable<KnownId>;
  /** Returns all existing writes of an id, in order. */
  writesOfId(persistenceId: string, options?: WritesOfIdOptions): AsyncIterable<JournalWrite>;
  /** Reads the surroundings of a write in the journal. */
  neighbors(write: WriteRange, call?: CallOptions): Promise<Neighbors>;
  /** Returns the events of each write. Those that have been deleted are missing. */
  readWrites(writes: readonly WriteToRead[], call?: CallOptions): Promise<JournalEvent[][]>;
  /** Returns a key in the journal's table that no journal uses. `name` is one per use, `number` at least 0. */
  ownKey(name: string, number: number): Key;
}

/**
 * Opens a journal for a feed. Writes nothing.
 *
 * @example
 * const changes = await openJournalChanges(port, { table: "events" });
 * for (const { persistenceId, first, last } of changes.writesOf(change)) console.log(persistenceId, first, last);
 */
export async function openJournalChanges(
  port: DynamoPort,
  options: JournalOptions = {},
): Promise<JournalChanges> {
  const built = buildContext(port, options);
  const { settings } = built;
  const context = await checkSettingsToRead(built.context, settings, options);
  const request = (call: CallOptions = {}) => ({
    signal: call.signal,
    deadlineMs: call.deadlineMs ?? context.deadlineMs,
  });
  return {
    table: context.table,
    layout: context.layout.name,
    isShared: isShared(context),
    writesOf: (change) => writesOfChange(context, change),
    // Others may have written the rows of the other layouts, and only we register ids.
    persistenceIds: ({ signal } = {}) =>
      currentPersistenceIds(
        context,
        context.layout.packed === undefined ? { signal, source: "scan" } : { signal },
      ),
    writesOfId: (id, { onUnreadable, ...call } = {}) =>
      writesOfId(context, settings, id, { ...request(call), ...(onUnreadable && { onUnreadable }) }),
    neighbors: (write, call) => readNeighbors(context, write, request(call)),
    readWrites: (writes, call) => readWrites(context, settings, writes, request(call)),
    ownKey: (name, number) => ownKey(context, settings, name, number),
  };
}

/** Numbers of a linear table from here on, below zero, belong to the journal itself. */
const ownNumbersFrom = 2 ** 52;

function ownKey(
  { layout }: JournalContext,
  { journalName }: ResolvedJournalOptions,
  name: string,
  number: number,
): Key {
  const [partition, sort] = layout.keyNames;
  const own = journalName === "" && layout.name === "linear" ? "tablekeep-journal" : journalName;
  const prefix = own === "" ? "F-" : `${own}-F-`;
  if (sort === undefined) return { [partition]: { S: `${prefix}${name}-${number}` } };
  const place = layout.name === "linear" ? -ownNumbersFrom - number : number;
  return { [partition]: { S: prefix + name }, [sort]: { N: String(place) } };
}

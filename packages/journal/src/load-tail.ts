import { type CallOptions, callChecks, optionCheck } from "@tablekeep/core";
import { journalWriter } from "./append/journal-writer.ts";
import { eventsOfWriter } from "./append/load.ts";
import { recoverWriter } from "./append/recover.ts";
import { viewTime } from "./append/writer-session.ts";
import type { Journal, LoadedEvents } from "./context/journal.ts";
import { callOptions, checkId, type JournalContext } from "./context/journal-context.ts";
import { partsOf } from "./context/opened.ts";
import { checkOptions } from "./errors/journal-error.ts";
import { firstTailItems, readTail } from "./replay/read-tail.ts";
import type { ReplaySettings } from "./replay/replay-limit.ts";
import { readSnapshotItem } from "./snapshots/load-snapshot.ts";
import type { SnapshotContext } from "./snapshots/snapshot-context.ts";
import type { Snapshot, Snapshots } from "./snapshots/snapshots.ts";

export interface LoadTailOptions extends Pick<CallOptions, "signal" | "deadlineMs"> {
  /**
   * The number of items that the first request reads: the writes that usually follow a snapshot, and three more. Items before the snapshot
   * are charged too. If the snapshot is not among them, the next request reads 100 items. @default 16
   */
  readonly limit?: number;
}

/** A writer, the newest snapshot, and the events that the snapshot does not cover. */
export interface LoadedTail<Event = unknown> extends LoadedEvents<Event> {
  /** Undefined if the id has none: then `events` are all events. */
  readonly snapshot: Snapshot | undefined;
  /** Items that were needed: a `limit` with which ids like this one take one request. */
  readonly items: number;
}

/** The parts of a journal. */
export interface JournalParts {
  readonly context: JournalContext;
  readonly settings: ReplaySettings;
}

/**
 * Takes over an id and loads its newest snapshot and the events after it, with one request. Only for snapshots that are
 * stored beside the events of a packed journal. Returns undefined for all others, and if the newest snapshot cannot be
 * read, so the caller loads both separately, by its own rules.
 *
 * @example
 * const loaded = await loadTail(journal, snapshots, "cart-1");
 * if (loaded !== undefined) for await (const { payload } of loaded.events) console.log(loaded.snapshot?.state, payload);
 */
export async function loadTail<Event = unknown>(
  journal: Journal<Event>,
  snapshots: Snapshots,
  persistenceId: string,
  options: LoadTailOptions = {},
): Promise<LoadedTail<Event> | undefined> {
  const parts = partsBeside(journal, snapshots);
  if (parts === undefined) return undefined;
  const { context, settings, store } = parts;
  checkTailCall(context, persistenceId, options);
  const call = callOptions(context, options);
  await context.writesUnderWay.ended(persistenceId, call);
  const viewedAt = viewTime(context.clock);
  const {
    head,
    snapshot: found,
    early,
    items,
  } = await readTail(context, persistenceId, options.limit ?? firstTailItems, call);
  const read = found && (await readSnapshotItem(store, persistenceId, found.item, call));
  if (read !== undefined && read.kind !== "read") return undefined;
  const session = await recoverWriter(context, persistenceId, call, { head, viewedAt });
  const from = found === undefined ? undefined : found.sequenceNr + 1;
  const { signal, deadlineMs } = options;
  const writer = journalWriter(context, session);
  const loaded = eventsOfWriter(context, settings, writer, { signal, deadlineMs, from }, [early]);
  return { ...(loaded as LoadedEvents<Event>), snapshot: read?.snapshot, items };
}

/** The parts of a packed journal and its snapshot store; undefined unless the snapshots are stored beside the events. */
export function partsBeside(
  journal: Journal,
  snapshots: Snapshots,
): (JournalParts & { readonly store: SnapshotContext }) | undefined {
  const parts = partsOf<JournalParts>(journal);
  const store = partsOf<SnapshotContext>(snapshots);
  if (parts === undefined || store === undefined) return undefined;
  const { context } = parts;
  if (context.layout.packed === undefined || !store.keys.besideEvents) return undefined;
  const isSame = store.table === context.table && store.keys.partition("") === partitionOf(context, "");
  return isSame ? { ...parts, store } : undefined;
}

/** Throws for an unsuitable id or option. */
export function checkTailCall(
  context: JournalContext,
  persistenceId: string,
  options: LoadTailOptions,
): void {
  checkId(context, persistenceId);
  checkOptions(options, {
    signal: callChecks.signal,
    deadlineMs: callChecks.deadlineMs,
    limit: optionCheck.integer(1, 1000),
  });
}

function partitionOf({ layout }: JournalContext, persistenceId: string): string {
  return layout.eventKey(persistenceId, 1)[layout.keyNames[0]]?.S ?? "";
}

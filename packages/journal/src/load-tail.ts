import { type CallOptions, optionCheck } from "@tablekeep/core";
import { journalWriter } from "./append/journal-writer.ts";
import { eventsOfWriter } from "./append/load.ts";
import { recoverWriter } from "./append/recover.ts";
import { viewTime } from "./append/writer-session.ts";
import { callChecks } from "./context/call-checks.ts";
import type { Journal, LoadedEvents } from "./context/journal.ts";
import { callOptions, checkId, type JournalContext } from "./context/journal-context.ts";
import { partsOf } from "./context/opened.ts";
import { checkOptions } from "./errors/journal-error.ts";
import { readTail } from "./replay/read-tail.ts";
import type { ReplaySettings } from "./replay/replay-limit.ts";
import { readSnapshotItem } from "./snapshots/load-snapshot.ts";
import type { SnapshotContext } from "./snapshots/snapshot-context.ts";
import type { Snapshot, Snapshots } from "./snapshots/snapshots.ts";

export interface LoadTailOptions extends Pick<CallOptions, "signal" | "deadlineMs"> {
  /** Items that the first request reads: the writes that usually follow a snapshot, and three more. @default 100 */
  readonly limit?: number;
}

/** A writer, the newest snapshot, and the events that the snapshot does not cover. */
export interface LoadedTail<Event = unknown> extends LoadedEvents<Event> {
  /** Undefined if the id has none: then `events` are all of them. */
  readonly snapshot: Snapshot | undefined;
}

/** What a journal and a snapshot store remember of themselves. */
interface JournalParts {
  readonly context: JournalContext;
  readonly settings: ReplaySettings;
}

/**
 * Takes an id over and loads its newest snapshot and the events after it, with one request. Only for snapshots that are stored
 * beside the events of a packed journal: returns undefined for all others, and where the newest snapshot cannot be read, so
 * that the caller loads them one after the other, by its own rules.
 */
export async function loadTail<Event = unknown>(
  journal: Journal<Event>,
  snapshots: Snapshots,
  persistenceId: string,
  options: LoadTailOptions = {},
): Promise<LoadedTail<Event> | undefined> {
  const parts = partsOf<JournalParts>(journal);
  const store = partsOf<SnapshotContext>(snapshots);
  if (parts === undefined || store === undefined) return undefined;
  const { context, settings } = parts;
  if (context.layout.packed === undefined || !store.keys.besideEvents) return undefined;
  const isSame = store.table === context.table && store.keys.partition("") === partitionOf(context, "");
  if (!isSame) return undefined;
  checkId(context, persistenceId);
  checkOptions(options, {
    signal: callChecks.signal,
    deadlineMs: callChecks.deadlineMs,
    limit: optionCheck.integer(1, 1000),
  });
  const call = callOptions(context, options);
  await context.writesUnderWay.ended(persistenceId, call);
  const viewedAt = viewTime(context.clock);
  const { head, snapshot: found, early } = await readTail(context, persistenceId, options.limit ?? 100, call);
  const read = found && (await readSnapshotItem(store, persistenceId, found.item, call));
  if (read !== undefined && read.kind !== "read") return undefined;
  const session = await recoverWriter(context, persistenceId, call, { head, viewedAt });
  const from = found === undefined ? undefined : found.sequenceNr + 1;
  const { signal, deadlineMs } = options;
  const writer = journalWriter(context, session);
  const loaded = eventsOfWriter(context, settings, writer, { signal, deadlineMs, from }, [early]);
  return { ...(loaded as LoadedEvents<Event>), snapshot: read?.snapshot };
}

function partitionOf({ layout }: JournalContext, persistenceId: string): string {
  return layout.eventKey(persistenceId, 1)[layout.keyNames[0]]?.S ?? "";
}

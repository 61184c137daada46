import type { EventDetail } from "@castore/core";
import { optionCheck, type TablekeepError } from "@tablekeep/core";
import { isJournalError, type Journal } from "@tablekeep/journal";
import {
  CastoreAdapterError,
  type EventAddress,
  optionInvalid,
  TablekeepEventAlreadyExistsError,
} from "./castore-adapter-error.ts";
import { persistenceIdOf } from "./persistence-id.ts";
import { newEventOf } from "./stored-event.ts";

/** Where and how events are pushed. */
export interface PushOptions {
  readonly eventStoreId: string;
  readonly force?: boolean;
}

/** Appends consecutive events of one aggregate, all or none. */
export async function pushEvents(
  journal: Journal,
  events: readonly [EventDetail, ...EventDetail[]],
  options: PushOptions,
): Promise<void> {
  const [{ aggregateId, version }] = events;
  const persistenceId = persistenceIdOf(options, aggregateId);
  const { eventStoreId, force = false } = options;
  const expected = version - 1;
  const outcome = await journal.append(persistenceId, events.map(newEventOf), { expected });
  const address = { eventStoreId, aggregateId, version };
  switch (outcome.kind) {
    case "ok":
      return;
    case "conflict":
      throw await conflictError(journal, persistenceId, address, force, outcome.error);
    case "unknown":
      throw new CastoreAdapterError(
        "CASTORE_OUTCOME_UNKNOWN",
        `${persistenceId}: version ${version} may or may not be stored: read it before you push it again`,
        address,
        { cause: outcome.error },
      );
    case "rejected":
      throw outcome.error;
  }
}

/** Throws for an event that could not be read again. Its timestamp may be missing: then the adapter assigns it. */
export function checkEvent(event: unknown): void {
  if (typeof event !== "object" || event === null)
    throw optionInvalid("event", "must be an object with aggregateId, version and type");
  const { version, type, timestamp } = event as Partial<EventDetail>;
  if (!Number.isSafeInteger(version) || (version as number) < 1)
    throw optionInvalid("version", `must be an integer of at least 1, got ${String(version)}`);
  const ofType = optionCheck.string(type);
  if (ofType !== undefined) throw optionInvalid("type", ofType);
  const ofTimestamp = timestamp === undefined ? undefined : optionCheck.string(timestamp);
  if (ofTimestamp !== undefined) throw optionInvalid("timestamp", ofTimestamp);
}

/** Returns why the aggregate does not end just before this version. */
async function conflictError(
  journal: Journal,
  persistenceId: string,
  address: EventAddress,
  force: boolean,
  cause: TablekeepError,
): Promise<Error> {
  const { version } = address;
  const known = isJournalError(cause, "JOURNAL_CONFLICT") ? cause.details.highest : undefined;
  const highest = known ?? (await journal.highestSequenceNr(persistenceId));
  if (highest < version - 1)
    return new CastoreAdapterError(
      "CASTORE_VERSION_GAP",
      `${persistenceId}: the next version is ${highest + 1}, got ${version}: a journal has no gaps`,
      { ...address, highest },
      { cause },
    );
  if (!force) return new TablekeepEventAlreadyExistsError(address, { cause });
  return new CastoreAdapterError(
    "CASTORE_FORCE_UNSUPPORTED",
    `${persistenceId}: version ${version} already exists, and force cannot replace it: a journal never changes an event`,
    address,
    { cause },
  );
}

import { randomUUID } from "node:crypto";
import {
  type AppendToStreamOptions,
  type AppendToStreamResult,
  assertExpectedVersionMatchesCurrent,
  downcastRecordedMessage,
  type Event,
  type ExpectedStreamVersion,
  ExpectedVersionConflictError,
  tryPublishMessagesAfterCommit,
} from "@event-driven-io/emmett";
import type { TablekeepError } from "@tablekeep/core";
import { isJournalError, type Journal } from "@tablekeep/journal";
import { EmmettStoreError } from "./emmett-store-error.ts";
import type { JournalAppendOptions, TablekeepEventStore, TablekeepEventStoreOptions } from "./event-store.ts";
import { checkExpectedVersion, expectedByJournal } from "./expected-version.ts";
import { checkEvents, givenMessageId, newEventOf, recordedEvent } from "./stored-event.ts";

/** Appends events as one atomic write, then calls the hook. */
export async function appendToStream<EventType extends Event, EventPayloadType extends Event = EventType>(
  journal: Journal,
  hooks: TablekeepEventStoreOptions["hooks"],
  streamName: string,
  events: EventType[],
  options: AppendToStreamOptions<bigint, EventType, EventPayloadType> & JournalAppendOptions = {},
): Promise<AppendToStreamResult> {
  const { schema, alsoWrite, signal, deadlineMs } = options;
  const expectedVersion = checkExpectedVersion(options.expectedStreamVersion);
  checkEvents(events);
  if (events.length === 0) return appendNothing(journal, streamName, expectedVersion);
  const messageIds = events.map((event) => givenMessageId(event) ?? randomUUID());
  const newEvents = events.map((event, at) =>
    newEventOf(downcastRecordedMessage(event, schema?.versioning), messageIds[at] as string),
  );
  const expected = await expectedByJournal(journal, streamName, expectedVersion);
  const outcome = await journal.append(streamName, newEvents, { expected, alsoWrite, signal, deadlineMs });
  switch (outcome.kind) {
    case "ok":
      break;
    case "conflict":
      throw await conflictError(journal, streamName, expectedVersion, outcome.error);
    case "unknown":
      throw outcomeUnknown(streamName, messageIds, outcome.error);
    case "rejected":
      throw outcome.error;
  }
  const { first, last } = outcome.value;
  const recorded = events.map((event, at) =>
    recordedEvent<Event>(event, {
      messageId: messageIds[at] as string,
      streamName,
      streamPosition: BigInt(first + at),
    }),
  );
  await tryPublishMessagesAfterCommit<TablekeepEventStore>(recorded, hooks);
  return { nextExpectedStreamVersion: BigInt(last), createdNewStream: first === 1 };
}

async function appendNothing(
  journal: Journal,
  streamName: string,
  expected: ExpectedStreamVersion<bigint>,
): Promise<AppendToStreamResult> {
  const current = BigInt(await journal.highestSequenceNr(streamName));
  assertExpectedVersionMatchesCurrent(current, expected, 0n);
  return { nextExpectedStreamVersion: current, createdNewStream: false };
}

/** Returns emmett's error for a conflict, with the version that the stream has. */
async function conflictError(
  journal: Journal,
  streamName: string,
  expected: ExpectedStreamVersion<bigint>,
  cause: TablekeepError,
): Promise<ExpectedVersionConflictError> {
  const known = isJournalError(cause, "JOURNAL_CONFLICT") ? cause.details.highest : undefined;
  const current = BigInt(known ?? (await journal.highestSequenceNr(streamName)));
  return Object.assign(new ExpectedVersionConflictError(current, expected), { cause });
}

function outcomeUnknown(
  streamName: string,
  messageIds: readonly string[],
  cause: TablekeepError,
): EmmettStoreError {
  return new EmmettStoreError(
    "EMMETT_OUTCOME_UNKNOWN",
    `${streamName}: the events may or may not be stored: read the stream and look for their message ids before you append them again`,
    { streamName, messageIds },
    { cause },
  );
}

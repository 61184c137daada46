import type { CallOptions, Outcome } from "@tablekeep/core";
import type {
  AtomicWrite,
  Journal,
  JournalEvent,
  LoadedEvents,
  LoadOptions,
  NewEvent,
  Outcomes,
  WrittenRange,
} from "@tablekeep/journal";
import type {
  JournalHistoryOperation,
  JournalHistoryRecorder,
  JournalHistoryResult,
  SeenWrite,
} from "@tablekeep/journal/testing";
import type { CounterEvent } from "./counter.ts";

const textOf = (payload: unknown) => (payload as CounterEvent).eventId;

/** `journal`, with all that is done on it written down for `checkHistory`. Its events are those of counters. */
export function recordingJournal(journal: Journal, recorder: JournalHistoryRecorder, actor: string): Journal {
  return {
    ...journal,
    async recover(persistenceId, options) {
      let writer: Awaited<ReturnType<Journal["recover"]>> | undefined;
      await recorder.call(actor, { kind: "recover", persistenceId }, async () => {
        writer = await journal.recover(persistenceId, options);
        return { writerUuid: writer.writerUuid, highest: writer.highestSequenceNr };
      });
      return recordingWriter(writer as NonNullable<typeof writer>, recorder, actor);
    },
    load: (async (persistenceId: string, options: LoadOptions = {}) => {
      let loaded: LoadedEvents | undefined;
      await recorder.call(actor, { kind: "recover", persistenceId }, async () => {
        loaded = await journal.load(persistenceId, options);
        return { writerUuid: loaded.writer.writerUuid, highest: loaded.writer.highestSequenceNr };
      });
      const { writer, events } = loaded as LoadedEvents;
      const range = { from: options.from, to: writer.highestSequenceNr };
      return {
        writer: recordingWriter(writer, recorder, actor),
        events: recordedEvents(recorder, actor, { kind: "replay", persistenceId, ...range }, events),
      };
    }) as unknown as Journal["load"], // a host folds the events itself
    replay(persistenceId, options = {}) {
      const { from, to, max } = options;
      const operation = { kind: "replay", persistenceId, from, to, max } as const;
      return recordedEvents(recorder, actor, operation, journal.replay(persistenceId, options));
    },
    async highestSequenceNr(persistenceId, options) {
      const found = await recorder.call(actor, { kind: "highest", persistenceId }, async () => ({
        highest: await journal.highestSequenceNr(persistenceId, options),
      }));
      return found.highest ?? 0;
    },
    // What a function reads is not recorded before it is read: the journal deletes at most what that says.
    async deleteTo(persistenceId, given, options) {
      const to = typeof given === "function" ? ((await given()) ?? 0) : given;
      await recorder.call(actor, { kind: "deleteTo", persistenceId, to }, async () => {
        await journal.deleteTo(persistenceId, to, options);
        return {};
      });
    },
  };
}

/** The events, all of which are read before the first is returned. */
async function* recordedEvents(
  recorder: JournalHistoryRecorder,
  actor: string,
  operation: JournalHistoryOperation,
  source: AsyncIterable<JournalEvent>,
): AsyncGenerator<JournalEvent, void, undefined> {
  const events: JournalEvent[] = [];
  await recorder.call(actor, operation, async () => {
    for await (const event of source) events.push(event);
    return {
      events: events.map(({ sequenceNr, payload, writerUuid }) => ({
        sequenceNr,
        text: textOf(payload),
        writerUuid,
      })),
    };
  });
  yield* events;
}

function recordingWriter(
  writer: Awaited<ReturnType<Journal["recover"]>>,
  recorder: JournalHistoryRecorder,
  actor: string,
): Awaited<ReturnType<Journal["recover"]>> {
  const { persistenceId, writerUuid, lowestSequenceNr } = writer;
  const textsOf = (write: AtomicWrite) => [write].flat().map((event) => textOf((event as NewEvent).payload));
  const record = async (
    writes: readonly AtomicWrite[],
    append: () => Promise<readonly Outcome<WrittenRange>[]>,
  ) => {
    let outcomes: readonly Outcome<WrittenRange>[] = [];
    const operation = { kind: "append", persistenceId, writerUuid, writes: writes.map(textsOf) } as const;
    await recorder.call(actor, operation, async (): Promise<JournalHistoryResult> => {
      outcomes = await append();
      return { writes: outcomes.map(seenWrite) };
    });
    return outcomes;
  };
  return {
    persistenceId,
    writerUuid,
    lowestSequenceNr,
    get highestSequenceNr() {
      return writer.highestSequenceNr;
    },
    async append(write, options) {
      const [outcome] = await record([write], async () => [await writer.append(write, options)]);
      return outcome as Outcome<WrittenRange>;
    },
    async appendEach<const Writes extends readonly AtomicWrite[]>(writes: Writes, options?: CallOptions) {
      return (await record(writes, () => writer.appendEach(writes, options))) as Outcomes<Writes>;
    },
  };
}

function seenWrite(outcome: Outcome<WrittenRange>): SeenWrite {
  return outcome.kind === "ok"
    ? { kind: "ok", first: outcome.value.first, last: outcome.value.last }
    : { kind: outcome.kind };
}

import type { CallOptions, Outcome } from "@tablekeep/core";
import type {
  AppendByIdOptions,
  AppendOptions,
  AtomicWrite,
  Journal,
  ReplayOptions,
  WrittenRange,
} from "../context/journal.ts";
import type { JournalHistoryOperation, JournalHistoryResult, SeenWrite } from "./journal-history.ts";

/** Records operations; testkit's `historyRecorder` implements it. */
export interface JournalHistoryRecorder {
  call(
    actor: string,
    operation: JournalHistoryOperation,
    work: () => Promise<JournalHistoryResult>,
  ): Promise<JournalHistoryResult>;
}

/** A writer whose events are unique strings. */
export interface RecordedWriter {
  readonly writerUuid: string;
  readonly highestSequenceNr: number;
  /** Appends events that are stored together or not at all. */
  append(texts: readonly string[], options?: AppendOptions): Promise<SeenWrite>;
  /** Appends independent atomic writes. */
  appendEach(writes: readonly (readonly string[])[], options?: CallOptions): Promise<readonly SeenWrite[]>;
}

/** A journal whose operations are recorded, for `checkHistory`. */
export interface RecordedJournal {
  recover(persistenceId: string, options?: CallOptions): Promise<RecordedWriter>;
  /** The strings of the events. */
  replay(persistenceId: string, options?: ReplayOptions): Promise<readonly string[]>;
  highest(persistenceId: string, options?: CallOptions): Promise<number>;
  /** Appends without a writer. */
  append(persistenceId: string, texts: readonly string[], options?: AppendByIdOptions): Promise<SeenWrite>;
  deleteTo(persistenceId: string, to: number, options?: CallOptions): Promise<void>;
}

/**
 * Records the operations of one actor on a journal as they happen.
 *
 * @example
 * const recorded = recordedJournal(await openJournal(port), recorder, "first");
 * const writer = await recorded.recover("cart-1");
 */
export function recordedJournal(
  journal: Journal,
  recorder: JournalHistoryRecorder,
  actor: string,
): RecordedJournal {
  return {
    async recover(persistenceId, options) {
      let writer: Awaited<ReturnType<Journal["recover"]>> | undefined;
      await recorder.call(actor, { kind: "recover", persistenceId }, async () => {
        writer = await journal.recover(persistenceId, options);
        return { writerUuid: writer.writerUuid, highest: writer.highestSequenceNr };
      });
      return recordedWriter(writer as NonNullable<typeof writer>, recorder, actor);
    },
    async replay(persistenceId, options = {}) {
      const { from, to, max } = options;
      const found = await recorder.call(actor, { kind: "replay", persistenceId, from, to, max }, async () => {
        const events = [];
        for await (const { sequenceNr, payload, writerUuid } of journal.replay(persistenceId, options)) {
          events.push({ sequenceNr, text: String(payload), writerUuid });
        }
        return { events };
      });
      return (found.events ?? []).map(({ text }) => text);
    },
    async highest(persistenceId, options) {
      const found = await recorder.call(actor, { kind: "highest", persistenceId }, async () => ({
        highest: await journal.highestSequenceNr(persistenceId, options),
      }));
      return found.highest ?? 0;
    },
    async append(persistenceId, texts, options = {}) {
      const { expected = "any" } = options;
      const writerUuid = `without a writer: ${texts[0]}`;
      const operation: JournalHistoryOperation = {
        kind: "append",
        persistenceId,
        writerUuid,
        writes: [texts],
        expected,
      };
      const found = await recorder.call(actor, operation, async () => {
        const outcome = await journal.append(persistenceId, writeOf(texts), options);
        const { highest } =
          outcome.kind === "conflict" ? (outcome.error.details as { highest?: number }) : {};
        return { writes: [seenWrite(outcome)], ...(highest !== undefined && { highest }) };
      });
      return found.writes?.[0] as SeenWrite;
    },
    async deleteTo(persistenceId, to, options) {
      await recorder.call(actor, { kind: "deleteTo", persistenceId, to }, async () => {
        await journal.deleteTo(persistenceId, to, options);
        return {};
      });
    },
  };
}

function recordedWriter(
  writer: Awaited<ReturnType<Journal["recover"]>>,
  recorder: JournalHistoryRecorder,
  actor: string,
): RecordedWriter {
  const { persistenceId, writerUuid } = writer;
  return {
    writerUuid,
    get highestSequenceNr() {
      return writer.highestSequenceNr;
    },
    async append(texts, options) {
      const operation: JournalHistoryOperation = {
        kind: "append",
        persistenceId,
        writerUuid,
        writes: [texts],
      };
      const found = await recorder.call(actor, operation, async () => ({
        writes: [seenWrite(await writer.append(writeOf(texts), options))],
      }));
      return found.writes?.[0] as SeenWrite;
    },
    async appendEach(writes, options) {
      const operation: JournalHistoryOperation = { kind: "append", persistenceId, writerUuid, writes };
      const found = await recorder.call(actor, operation, async () => ({
        writes: (await writer.appendEach(writes.map(writeOf), options)).map(seenWrite),
      }));
      return found.writes ?? [];
    },
  };
}

function writeOf(texts: readonly string[]): AtomicWrite {
  const events = texts.map((payload) => ({ payload }));
  return events.length === 1 && events[0] !== undefined ? events[0] : events;
}

function seenWrite(outcome: Outcome<WrittenRange>): SeenWrite {
  if (outcome.kind !== "ok") return { kind: outcome.kind };
  return { kind: "ok", first: outcome.value.first, last: outcome.value.last };
}

import type { CallOptions, Outcome } from "@tablekeep/core";
import type { AppendOptions, AtomicWrite, Journal, ReplayOptions, WrittenRange } from "../context/journal.ts";
import type { JournalDeed, JournalFinding, SeenWrite } from "./journal-history.ts";

/** Where deeds are written down; testkit's `historyRecorder` is one. */
export interface DeedRecorder {
  call(actor: string, deed: JournalDeed, work: () => Promise<JournalFinding>): Promise<JournalFinding>;
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

/** A journal all of whose deeds are written down, for `checkHistory`. */
export interface RecordedJournal {
  recover(persistenceId: string, options?: CallOptions): Promise<RecordedWriter>;
  /** The strings of the events. */
  replay(persistenceId: string, options?: ReplayOptions): Promise<readonly string[]>;
  highest(persistenceId: string, options?: CallOptions): Promise<number>;
  deleteTo(persistenceId: string, to: number, options?: CallOptions): Promise<void>;
}

/** The operations of one actor on a journal, recorded as they happen. */
export function recordedJournal(journal: Journal, recorder: DeedRecorder, actor: string): RecordedJournal {
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
  recorder: DeedRecorder,
  actor: string,
): RecordedWriter {
  const { persistenceId, writerUuid } = writer;
  return {
    writerUuid,
    get highestSequenceNr() {
      return writer.highestSequenceNr;
    },
    async append(texts, options) {
      const deed: JournalDeed = { kind: "append", persistenceId, writerUuid, writes: [texts] };
      const found = await recorder.call(actor, deed, async () => ({
        writes: [seenWrite(await writer.append(writeOf(texts), options))],
      }));
      return found.writes?.[0] as SeenWrite;
    },
    async appendEach(writes, options) {
      const deed: JournalDeed = { kind: "append", persistenceId, writerUuid, writes };
      const found = await recorder.call(actor, deed, async () => ({
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

import type { CallOptions } from "@tablekeep/core";
import type { AppendOptions, Journal, ReplayOptions } from "../context/journal.ts";
import type { JournalDeed, JournalFinding, SeenWrite } from "./journal-history.ts";

/** Where deeds are written down; testkit's `historyRecorder` is one. */
export interface DeedRecorder {
  call(actor: string, deed: JournalDeed, work: () => Promise<JournalFinding>): Promise<JournalFinding>;
}

/** A writer whose events are unique strings. */
export interface RecordedWriter {
  readonly writerUuid: string;
  readonly highestSequenceNr: number;
  /** Appends atomic writes. */
  append(writes: readonly (readonly string[])[], options?: AppendOptions): Promise<readonly SeenWrite[]>;
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
    async append(writes, options) {
      const deed: JournalDeed = { kind: "append", persistenceId, writerUuid, writes };
      const found = await recorder.call(actor, deed, async () => {
        const events = writes.map((texts) => texts.map((payload) => ({ payload })));
        const asked = events.map((each) => (each.length === 1 && each[0] !== undefined ? each[0] : each));
        const outcomes = await writer.append(asked, options);
        return {
          writes: outcomes.map((outcome): SeenWrite => {
            if (outcome.kind !== "ok") return { kind: outcome.kind };
            return { kind: "ok", first: outcome.value.first, last: outcome.value.last };
          }),
        };
      });
      return found.writes ?? [];
    },
  };
}

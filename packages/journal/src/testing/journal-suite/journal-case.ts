import assert from "node:assert/strict";
import type {
  AtomicWrite,
  Journal,
  JournalEvent,
  JournalWriter,
  NewEvent,
  ReplayOptions,
} from "../../context/journal.ts";

/** The functions that a journal must provide to be tested. */
export type JournalUnderTest = Pick<
  Journal,
  "recover" | "replay" | "highestSequenceNr" | "lowestSequenceNr" | "deleteTo" | "purge"
> &
  Partial<Pick<Journal, "listAll" | "currentPersistenceIds">> & { close?(): Promise<void> };

/** A row as the Akka plugins write it. */
export interface OriginalRow {
  readonly persistenceId: string;
  readonly sequenceNr: number;
  readonly text: string;
  readonly writerUuid: string;
  /** Its place in an atomic write, from 0, and that of the last row. */
  readonly index?: number;
  readonly lastIndex?: number;
}

/** The way past the journal, to do what no journal does. */
export interface RowAccess {
  /** Removes the row of a number, as if it had never been there. */
  remove(persistenceId: string, sequenceNr: number): Promise<void>;
  /** Puts a row of the original plugin. */
  putOriginal(row: OriginalRow): Promise<void>;
}

/** Optional features of a journal. Cases that need a missing one are left out. */
export interface JournalAbilities {
  /** Rejects payloads that no serializer takes, such as functions. */
  readonly rejectsUnserializable: boolean;
  /** Keeps payloads of unknown serializers. */
  readonly foreignSerializers: boolean;
  /** Keeps metadata beside the payload. */
  readonly metadata: boolean;
  /** Keeps tags and timestamps. */
  readonly tags: boolean;
  /** Returns the last event only if asked from -1. */
  readonly onlyLast: boolean;
  /** Writes more events atomically than one transaction of DynamoDB holds. */
  readonly largeBatches: boolean;
  /** Lists marks and live numbers, and has a high mark at every multiple of 100, as the plugin 1.x has. */
  readonly marks: boolean;
  /** Lists its ids. */
  readonly ids: boolean;
  /** Rejects events larger than 400,000 bytes. */
  readonly sizeLimit: boolean;
  /** Reads rows as the Akka plugins write them. */
  readonly originals: boolean;
  /** Its rows can be reached past it: `rows` is given. */
  readonly rows: boolean;
  /** It can be opened with faults: `openWithFaults` is given. */
  readonly faults: boolean;
}

/** The context of a case. */
export interface JournalWorld {
  readonly journal: JournalUnderTest;
  /** The same journal in another process. */
  another(): Promise<JournalUnderTest>;
  /** The same journal in a process whose requests meet the faults of a schedule, in the notation of testkit. */
  withFaults(schedule: string): Promise<JournalUnderTest>;
  readonly rows: RowAccess;
  /** A persistence id that no other call returns. */
  unique(): string;
}

/** One behavior of a journal, checked. */
export interface JournalCase {
  /** A sentence on the behavior; unique in the suite. */
  readonly name: string;
  /** Where it comes from: a case of a suite for journals, or a defect of a journal that it would find. */
  readonly source: string;
  /** The features that it requires. @default none */
  readonly needs?: readonly (keyof JournalAbilities)[];
  readonly run: (world: JournalWorld) => Promise<void>;
}

/** Events `a-<first>` to `a-<last>`. */
export function events(first: number, last: number): NewEvent[] {
  return Array.from({ length: last - first + 1 }, (_unused, at) => ({ payload: `a-${first + at}` }));
}

/** Every number from the first to the last. */
export function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_unused, at) => first + at);
}

/** Appends atomic writes, all of which must be stored. */
export async function append(writer: JournalWriter, ...writes: readonly AtomicWrite[]): Promise<void> {
  const outcomes = await writer.appendEach(writes);
  const failed = outcomes.find(({ kind }) => kind !== "ok");
  if (failed !== undefined && failed.kind !== "ok") throw failed.error;
  assert.equal(outcomes.length, writes.length, "one outcome a write");
}

/** The state that most cases begin with: three events, one by one, and two more as one atomic write. */
export async function writeFive(world: JournalWorld): Promise<{ id: string; writer: JournalWriter }> {
  const id = world.unique();
  const writer = await world.journal.recover(id);
  const [one, two, three, ...batch] = events(1, 5);
  const outcomes = await writer.appendEach([one, two, three, batch] as AtomicWrite[]);
  const ranges = outcomes.map((outcome) => (outcome.kind === "ok" ? outcome.value : outcome.kind));
  assert.deepEqual(ranges, [
    { first: 1, last: 1 },
    { first: 2, last: 2 },
    { first: 3, last: 3 },
    { first: 4, last: 5 },
  ]);
  return { id, writer };
}

/** All events of a replay. */
export async function replayed(
  journal: Pick<JournalUnderTest, "replay">,
  id: string,
  options: ReplayOptions = {},
): Promise<JournalEvent[]> {
  const found: JournalEvent[] = [];
  for await (const event of journal.replay(id, options)) found.push(event);
  return found;
}

/** A replay returns these numbers, each with its own payload `a-<number>`. */
export async function gives(
  journal: Pick<JournalUnderTest, "replay">,
  id: string,
  options: ReplayOptions,
  numbers: readonly number[],
): Promise<void> {
  const found = await replayed(journal, id, options);
  assert.deepEqual(
    found.map(({ sequenceNr, payload }) => `${sequenceNr}: ${String(payload)}`),
    numbers.map((number) => `${number}: a-${number}`),
  );
}

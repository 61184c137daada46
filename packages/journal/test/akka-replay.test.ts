import type { Item } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCodecs } from "../src/codecs/create-codecs.ts";
import { type JournalReader, openJournalReader } from "../src/open-journal-reader.ts";
import {
  type AkkaFixture,
  akkaFixtures,
  fixtureItems,
  type ListedId,
  type ListedRange,
  listedIds,
} from "./akka-fixtures.ts";
import { expectPayload, fixtureCodecs } from "./expect-payload.ts";
import { collect, engineWithFixture, fixtureOptions } from "./journal-world.ts";

/**
 * Where we differ from what the original read, and why:
 * - a bound that cuts an atomic write: the original loses what it has read of it, at either end. We return the rest of one
 *   that begins before `from`, and end before one that `to` or `max` would cut.
 * - p-6: its deletion ends inside an atomic write, and the original never reads the rest again.
 * - p-98 of 1.1.1: a write that begins at a multiple of 100 lost its high mark, and the original loses its events.
 *   (In akka-1.1-then-1.3 a later writer overwrote the first of them: the other two are part of a write, and neither side returns
 *   them.)
 * - 0.3: after a hole it returns the first event even beyond `to`, and softly deleted events use up `max`.
 */
const wholeOf: Partial<Record<string, readonly number[]>> = {
  "p-6": numbers(5, 10),
  "p-98": numbers(1, 102),
};

function lostItsMark(fixture: AkkaFixture, id: string): boolean {
  return id === "p-98" && fixture.startsWith("akka-1.1") && fixture !== "akka-1.1-then-1.3";
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_unused, at) => from + at);
}

/** The atomic writes of an id, by the batch marks in its rows; a row without marks is a separate write. */
function writesOf(fixture: AkkaFixture, id: string, live: readonly number[]): number[][] {
  const marks = new Map<number, { first: number; last: number }>();
  for (const item of fixtureItems(fixture, "journal")) {
    const sequenceNr = sequenceNrOf(item, id);
    const [idx, cnt] = [item["idx"]?.N, item["cnt"]?.N];
    if (sequenceNr === undefined || idx === undefined || cnt === undefined) continue;
    marks.set(sequenceNr, { first: sequenceNr - Number(idx), last: sequenceNr - Number(idx) + Number(cnt) });
  }
  const writes: number[][] = [];
  for (const each of live) {
    const open = writes[writes.length - 1];
    const mark = marks.get(each);
    if (open !== undefined && mark !== undefined && marks.get(open[0] as number)?.first === mark.first)
      open.push(each);
    else writes.push([each]);
  }
  return writes;
}

function sequenceNrOf(item: Item, id: string): number | undefined {
  const partition = item["par"]?.S ?? "";
  const prefix = `journal-P-${id}-`;
  const bucket = partition.startsWith(prefix) ? partition.slice(prefix.length) : "";
  return /^\d+$/.test(bucket) ? Number(bucket) * 100 + Number(item["num"]?.N) : undefined;
}

/** The expected result of a replay with bounds: whole writes while they fit, from the first number on. */
function expectedRange(writes: readonly number[][], { from, to, max }: ListedRange): number[] {
  const given: number[] = [];
  for (const write of writes) {
    const asked = write.filter((each) => each >= from);
    if (asked.length === 0) continue;
    const ends = (write[write.length - 1] as number) > bound(to) || given.length + asked.length > bound(max);
    if (ends) break;
    given.push(...asked);
  }
  return given;
}

function bound(text: string): number {
  return text === "max" ? Number.MAX_SAFE_INTEGER : Number(text);
}

/** Whether the original's listing shows one of the defects above. */
function showsDefect(
  fixture: AkkaFixture,
  id: string,
  range: ListedRange,
  writes: readonly number[][],
): boolean {
  if (id === "p-6" || lostItsMark(fixture, id)) return true;
  if (fixture === "akka-0.3") return ["p-3", "p-4", "p-5"].includes(id);
  const cut = (at: number) =>
    writes.some((write) => (write[0] as number) < at && at <= (write[write.length - 1] as number));
  return cut(range.from) || cut(bound(range.to) + 1) || range.max !== "max";
}

describe.each(akkaFixtures)("%s", (fixture) => {
  const ids = Object.entries(listedIds(fixture));
  let port: Engine;
  let journal: JournalReader;
  beforeAll(async () => {
    port = await engineWithFixture(fixture);
    const codecs = createCodecs({ codecs: fixtureCodecs });
    journal = await openJournalReader(port, { ...fixtureOptions(fixture), codecs });
  });
  afterAll(() => port.close());

  test.each(ids)("%s replays as the original gave it, its defects apart", async (id, listed) => {
    const events = await collect(journal.replay(id));
    const live = liveNumbers(fixture, id, listed);
    expect(events.map(({ sequenceNr }) => sequenceNr)).toEqual(live);
    const byNumber = new Map((listed.events ?? []).map((event) => [event.seq, event]));
    for (const event of events) {
      const original = byNumber.get(event.sequenceNr);
      if (original === undefined) continue;
      const encoded = {
        serializerId: event.serializerId,
        manifest: event.serializerManifest,
        bytes: new Uint8Array(),
      };
      if (original.serializerId !== 1 || original.payloadKind === "string") {
        expectPayload(event.payload, encoded, original, event.manifest);
      }
      expect(event).toMatchObject({ persistenceId: id, timestamp: 0, tags: [] });
      if (original.writerUuid !== undefined) expect(event.writerUuid).toBe(original.writerUuid);
    }
    const highest = id === "p-98" ? 102 : (listed.highestSequenceNr ?? live[live.length - 1] ?? 0);
    expect(await journal.highestSequenceNr(id)).toBe(highest);
    const writes = writesOf(fixture, id, live);
    for (const range of listed.ranges ?? []) {
      const options = { from: range.from, to: bound(range.to), max: bound(range.max) };
      const given = (await collect(journal.replay(id, options))).map(({ sequenceNr }) => sequenceNr);
      expect(given).toEqual(expectedRange(writes, range));
      if (!showsDefect(fixture, id, range, writes)) expect(given).toEqual(range.seqs);
    }
  });
});

/** The numbers that must be there: the original's listing, except for the ids that it reads wrongly or not at all. */
function liveNumbers(fixture: AkkaFixture, id: string, listed: ListedId): number[] {
  if (id === "p-6" || lostItsMark(fixture, id)) return [...(wholeOf[id] ?? [])];
  // The original could not read these classes after an update of Scala; their rows exist, each as a separate write.
  if (listed.error !== undefined) return singleRows(fixture, id);
  return (listed.events ?? []).map(({ seq }) => seq);
}

function singleRows(fixture: AkkaFixture, id: string): number[] {
  const rows = fixtureItems(fixture, "journal").filter((item) => sequenceNrOf(item, id) !== undefined);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter((item) => "cnt" in item)).toEqual([]);
  return rows.map((item) => sequenceNrOf(item, id) as number).sort((one, two) => one - two);
}

import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { type ChangeSource, openFeed, openStreamSource } from "../src/index.ts";

test("a feed that was not run for longer than the stream keeps records is compared with the journal", async () => {
  const clock = fakeClock();
  await using port = await openEngine({ storage: { kind: "memory" }, clock });
  await ensureTable(port, journalTableSpec());
  const journal = await openJournal(port, { clock });
  const feed = await openFeed(port, { clock });
  unwrap(await journal.append("a", { payload: 1 }));
  await clock.autoAdvance(() => feed.catchUp());
  unwrap(await journal.append("a", { payload: 2 }));
  await clock.advance(25 * 60 * 60 * 1000);
  const { arn } = await openStreamSource(port, { tableName: "events" });
  // A shard that came after the checkpoint, and in which nothing is left.
  const source: ChangeSource = {
    arn,
    async *read() {
      const position = { sequence: undefined, seenUntil: clock.now() + 1, closed: false, parents: [] };
      yield { records: [], positions: new Map([["new", position]]) };
    },
  };
  const later = await openFeed(port, { clock, source });
  await clock.autoAdvance(() => later.catchUp(), { limit: 10_000 });
  const seen: number[] = [];
  for await (const { sequenceNr } of later.read()) seen.push(sequenceNr);
  expect(seen).toEqual([1, 2]);
});

import { stopAfterNth } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { openJournal } from "../../src/open-journal.ts";
import { migrateJournal } from "../../src/tools/copy/migrate-journal.ts";
import { exportEvents } from "../../src/tools/export/export-events.ts";
import { readExported } from "../../src/tools/export/read-export.ts";
import { builtOnce } from "../built-once.ts";
import { collect, engineWith, range } from "../journal-world.ts";
import { AkkaPlugin } from "./akka-plugin.ts";
import { sharedWorld, table, texts } from "./shared-world.ts";

async function payloadsOf(events: AsyncIterable<{ readonly payload: unknown }>): Promise<unknown[]> {
  return (await collect(events)).map(({ payload }) => payload);
}

test("a migration that stops at any request and runs again leaves ids that Akka continues", async () => {
  const from = { table: "source", layout: "linear" } as const;
  const to = { table, akka: "2.6" } as const;
  const id = "cart-1";
  const report = await stopAfterNth({
    setup: builtOnce(async () => {
      const port = await engineWith(from, to);
      const journal = await openJournal(port, from);
      const writer = await journal.recover(id);
      await writer.appendEach(texts("a", 153).map((payload) => ({ payload })));
      await journal.deleteTo(id, 150);
      const emptied = await journal.recover("emptied");
      await emptied.appendEach(texts("b", 105).map((payload) => ({ payload })));
      await journal.deleteTo("emptied", 105);
      return { port };
    }),
    run: (port) => migrateJournal({ from: { port, journal: from }, to: { port, journal: to }, parallel: 1 }),
    async check({ port }) {
      await migrateJournal({ from: { port, journal: from }, to: { port, journal: to } });
      const akka = new AkkaPlugin({ port, table, id });
      expect((await akka.recover()).map(({ sequenceNr }) => sequenceNr)).toEqual([151, 152, 153]);
      expect(akka.lastSequenceNr).toBe(153);
      const emptied = new AkkaPlugin({ port, table, id: "emptied" });
      expect(await emptied.recover()).toEqual([]);
      expect([await akka.persist("next"), await emptied.persist("next")]).toEqual([154, 106]);
      const journal = await openJournal(port, to);
      expect(await payloadsOf(journal.replay(id))).toEqual(["a151", "a152", "a153", "next"]);
      expect(await payloadsOf(journal.replay("emptied"))).toEqual(["next"]);
      // Without the high mark, Akka would not find what it has written itself.
      const restarted = [id, "emptied"].map((each) => new AkkaPlugin({ port, table, id: each }));
      for (const each of restarted) await each.recover();
      expect(restarted.map(({ lastSequenceNr }) => lastSequenceNr)).toEqual([154, 106]);
    },
  });
  expect(report.requests).toBeGreaterThan(10);
});

test("a migration raises the high mark that an earlier run left out", async () => {
  await using world = await sharedWorld();
  const { port, id } = world;
  const akka = await world.akka();
  await akka.persistAll(texts("a", 153));
  const to = { table: "target", layout: "bucketed" } as const;
  await port.createTable({
    TableName: "target",
    AttributeDefinitions: [
      { AttributeName: "par", AttributeType: "S" },
      { AttributeName: "num", AttributeType: "N" },
    ],
    KeySchema: [
      { AttributeName: "par", KeyType: "HASH" },
      { AttributeName: "num", KeyType: "RANGE" },
    ],
    BillingMode: "PAY_PER_REQUEST",
  });
  const places = { from: { port, journal: { table } }, to: { port, journal: to } };
  await migrateJournal(places);
  const mark = { par: { S: `journal-SH-${id}-1` }, num: { N: "0" } };
  await port.deleteItem({ TableName: "target", Key: mark });
  await migrateJournal(places);
  const copied = new AkkaPlugin({ port, table: "target", id });
  expect((await copied.recover()).map(({ sequenceNr }) => sequenceNr)).toEqual(range(1, 153));
});

test("a resumed export has the events of an unbroken one, whichever writers are old", async () => {
  await using world = await sharedWorld();
  const old = await world.akka();
  await old.persist("a1");
  await old.persist("a2");
  const next = await world.akka();
  await next.persist("b3");
  // The old actor, which was thought dead, writes once more; then the next one continues after it.
  old.lastSequenceNr = 3;
  await old.persist("a4");
  next.lastSequenceNr = 4;
  await next.persist("b5");
  const numbers = (lines: readonly string[]) =>
    lines.flatMap((line) => (JSON.parse(line) as { sequenceNr?: number }).sequenceNr ?? []);
  const whole = await collect(exportEvents(world.port, { table }));
  expect(numbers(whole)).toEqual([1, 2, 3, 5]);
  for (let cut = 0; cut < whole.length; cut++) {
    const first = whole.slice(0, cut);
    const rest = await collect(exportEvents(world.port, { table }, { resume: await readExported(first) }));
    expect(numbers([...first, ...rest])).toEqual([1, 2, 3, 5]);
  }
});

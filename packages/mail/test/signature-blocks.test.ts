/** Blocks of signatures speed up the first search. They may be missing or stale: nothing may be missing or stay because of them. */
import assert from "node:assert/strict";
import { metered } from "@tablekeep/client";
import { type Item, wrapPort } from "@tablekeep/core";
import { fakeClock, stopAfterNth } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { type Mail, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";
import {
  advanceUntil,
  type BlockWorld,
  hasAllBlocks,
  hourEntries,
  itemsOf,
  makeBlocks,
  newInstance,
  perHour,
  twoHours,
  varied,
} from "./signature-block-steps.ts";

const hour = 3_600_000;

/** Every way of searching on this instance finds exactly these messages. */
async function expectFound(mail: Mail, ids: readonly string[]): Promise<void> {
  const newest = ids.toSorted().reverse();
  const common = { kind: "containing", query: "plum" } as const;
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await mail.search(common, { limit: 33, cursor });
    pages.push(...page.items.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== undefined);
  assert.deepEqual(pages, newest);
  const { items, total } = await mail.search(common, { total: true, limit: 1000 });
  assert.deepEqual([total, ...items.map(({ id }) => id)], [newest.length, ...newest]);
  const toBob = await mail.search(
    { kind: "recipient", query: "bob@example.com" },
    { total: true, limit: 1000 },
  );
  assert.deepEqual([toBob.total, ...toBob.items.map(({ id }) => id)], [newest.length, ...newest]);
  assert.equal(await mail.count(), newest.length);
  const rare = await mail.search({ kind: "text", query: "plum7x" }, { total: true });
  assert.equal(rare.total, rare.items.length);
  for (const { id } of rare.items) assert.ok(ids.includes(id));
}

/** A new instance finds exactly these messages. Returns the number of items that a search for a word in none of them reads. */
async function expectFoundByNew(world: BlockWorld, ids: readonly string[]): Promise<number> {
  const { mail, read } = await newInstance(world);
  await mail.search({ kind: "containing", query: "quince" });
  const { items } = read;
  await expectFound(mail, ids);
  await mail.close();
  return items;
}

describe("blocks of signatures", () => {
  test("are read by a new instance instead of the signatures", async () => {
    const world = await twoHours();
    expect(await expectFoundByNew(world, world.ids)).toBeGreaterThan(2 * perHour);
    await makeBlocks(world.port, world.clock);
    expect(await itemsOf(world.port, "g#")).toHaveLength(2);
    // Two hours, the era, and two blocks.
    expect(await expectFoundByNew(world, world.ids)).toBeLessThan(8);
  });

  test("that have all messages of an hour are read with one request", async () => {
    const world = await twoHours();
    await makeBlocks(world.port, world.clock);
    const { port, meter } = metered(world.port, { capacity: true });
    const mail = await openMail(port, { clock: world.clock });
    meter.reset();
    await mail.search({ kind: "containing", query: "quince" });
    // One for the directory, and one for each hour.
    expect(meter.reset().total.requests).toBe(3);
    await mail.close();
  });

  test("of the present hour are made when they are full", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9) });
    const port = await engineWithMail({ clock });
    const mail = await openMail(port, { clock });
    const ids: string[] = [];
    for (let at = 0; at < 600; at++)
      ids.push((await mail.store(envelope, letter(String(at), `plum ${varied(at, 1300)}\r\n`))).id);
    // Stores alone are enough, but their messages have to settle.
    await clock.advance(310_000);
    const hasBlocks = async () => (await itemsOf(port, "g#")).length > 0;
    expect(await advanceUntil(clock, hasBlocks)).toBe(true);
    const world = { clock, port, ids };
    const [entry] = await hourEntries(port);
    expect(entry?.["blocks"]?.S).toMatch(/^0 0 \d+ [0-9a-z]{26} exact$/);
    clock.jump(1);
    ids.push((await mail.store(envelope, letter("new", "plum\r\n"))).id);
    expect(await expectFoundByNew(world, ids)).toBeLessThan(300);
    await mail.deleteOne(ids.splice(3, 1)[0] ?? "");
    expect(await expectFoundByNew(world, ids)).toBeLessThan(300);
    await mail.close();
    clock.jump(2 * hour);
    await makeBlocks(port, world.clock);
    expect(await expectFoundByNew(world, ids)).toBeLessThan(12);
  });

  test("do not bring back deleted messages, and are made again when many are deleted", async () => {
    const world = await twoHours();
    await makeBlocks(world.port, world.clock);
    const cached = await openMail(world.port, { clock: world.clock });
    await expectFound(cached, world.ids);
    const deleter = await openMail(world.port, { clock: world.clock });
    await deleter.deleteMany(world.ids.splice(5, 3));
    for (const mail of [cached, deleter]) await expectFound(mail, world.ids);
    expect(await expectFoundByNew(world, world.ids)).toBeLessThan(8);
    await deleter.deleteMany(world.ids.splice(0, 20));
    for (const mail of [cached, deleter]) await expectFound(mail, world.ids);
    expect(await expectFoundByNew(world, world.ids)).toBeGreaterThan(15);
    world.clock.jump(hour);
    await makeBlocks(world.port, world.clock);
    await advanceUntil(world.clock, async () => (await expectFoundByNew(world, world.ids)) < 8);
    expect(await expectFoundByNew(world, world.ids)).toBeLessThan(8);
    for (const mail of [cached, deleter]) await expectFound(mail, world.ids);
  });

  test("do not hide messages that are imported into their hour, and are made again", async () => {
    const world = await twoHours();
    await makeBlocks(world.port, world.clock);
    const cached = await openMail(world.port, { clock: world.clock });
    await expectFound(cached, world.ids);
    const importer = await openMail(world.port, { clock: world.clock });
    for (let at = 0; at < 3; at++) {
      const original = { created: Date.UTC(2050, 0, 1, 9, 30, at), key: `elsewhere ${at}` };
      const stored = await importer.importMessage(original, envelope, letter("old", "plum\r\n"));
      world.ids.push(stored?.id ?? "");
      for (const mail of [cached, importer]) await expectFound(mail, world.ids);
      expect(await expectFoundByNew(world, world.ids)).toBeGreaterThan(perHour);
    }
    world.clock.jump(hour);
    await makeBlocks(world.port, world.clock);
    expect(await expectFoundByNew(world, world.ids)).toBeLessThan(8);
  });

  test("do not hide a late message whose store ended right after its commit", async () => {
    const world = await twoHours();
    const { clock, port } = world;
    const others = await openMail(port, { clock });
    for (let at = 0; at < 20; at++)
      world.ids.push((await others.store(envelope, letter("in time", "plum\r\n"))).id);
    await others.close();
    let isLate = false;
    let commits = 0;
    const slow = wrapPort(port, async (operation, input, options, next) => {
      // The era is read after the id was made.
      if (operation === "GetItem" && !isLate) {
        isLate = true;
        clock.jump(6 * hour);
        await makeBlocks(port, clock);
      }
      if (commits > 0) throw new Error("the process has ended");
      const answer = await next(operation, input, options);
      if (operation === "PutItem") commits++;
      return answer;
    });
    const mail = await openMail(slow, { clock, deadlineMs: 10 * hour });
    await mail.store(envelope, letter("late", "plum\r\n")).catch(() => {});
    expect(commits).toBe(1);
    const listed = (await (await openMail(port, { clock })).list({ limit: 1000 })).items.map(({ id }) => id);
    expect(listed).toHaveLength(world.ids.length + 1);
    await expectFoundByNew(world, listed);
    clock.jump(hour);
    await makeBlocks(port, clock);
    await expectFoundByNew(world, listed);
  });

  test("that are missing, stale or damaged are replaced by signatures, and made again", async () => {
    const world = await twoHours();
    const { port, clock } = world;
    await makeBlocks(port, world.clock);
    const [block] = (await itemsOf(port, "g#")) as [Item];
    const key = { pk: block["pk"], sk: block["sk"] } as Item;
    const damage: (() => Promise<unknown>)[] = [
      () => port.deleteItem({ TableName: "mail", Key: key }),
      () => port.putItem({ TableName: "mail", Item: { ...block, late: { N: "-1" } } }),
      () => port.putItem({ TableName: "mail", Item: { ...block, codes: { B: new Uint8Array(8) } } }),
      () => port.putItem({ TableName: "mail", Item: { ...block, before: { S: world.ids[7] ?? "" } } }),
    ];
    for (const each of damage) {
      await each();
      expect(await expectFoundByNew(world, world.ids)).toBeGreaterThan(30);
      await port.deleteItem({ TableName: "mail", Key: key });
      const mail = await openMail(port, { clock });
      await expectFound(mail, world.ids);
      const isRepaired = async () => (await itemsOf(port, "g#")).length === 2;
      expect(await advanceUntil(clock, isRepaired)).toBe(true);
      await mail.close();
      expect(await expectFoundByNew(world, world.ids)).toBeLessThan(8);
      // The lease of an instance that was closed ends.
      clock.jump(120_000);
    }
  });

  test("whose parts are missing or damaged are replaced by signatures, and made again", async () => {
    const world = await twoHours({ words: 1300 });
    const { port, clock } = world;
    await makeBlocks(port, clock);
    for (const rows of [undefined, new Uint8Array(3)]) {
      const parts = await itemsOf(port, "w#");
      expect(parts.length).toBeGreaterThan(4);
      expect(await expectFoundByNew(world, world.ids)).toBeLessThan(8);
      for (const { pk, sk, ...rest } of parts) {
        const key = { pk, sk } as Item;
        if (rows === undefined) await port.deleteItem({ TableName: "mail", Key: key });
        else await port.putItem({ TableName: "mail", Item: { ...key, ...rest, rows: { B: rows } } });
      }
      expect(await expectFoundByNew(world, world.ids)).toBeGreaterThan(2 * perHour);
      const mail = await openMail(port, { clock });
      await expectFound(mail, world.ids);
      const isRepaired = async () => {
        const made = await itemsOf(port, "w#");
        return made.length === parts.length && made.every((part) => (part["rows"]?.B?.length ?? 0) > 3);
      };
      expect(await advanceUntil(clock, isRepaired)).toBe(true);
      await mail.close();
      // The lease of an instance that was closed ends.
      clock.jump(120_000);
    }
    expect(await expectFoundByNew(world, world.ids)).toBeLessThan(8);
  });

  test("read only the parts that a search needs, and keep them", async () => {
    const world = await twoHours({ words: 1300 });
    await makeBlocks(world.port, world.clock);
    const { port, meter } = metered(world.port, { capacity: true });
    const mail = await openMail(port, { clock: world.clock });
    meter.reset();
    await mail.search({ kind: "containing", query: "quince" });
    // One for the directory, and for each hour one for its block and one for the parts.
    const first = meter.reset().total;
    expect(first.requests).toBe(5);
    const parts = await itemsOf(world.port, "w#");
    const bytes = parts.reduce((sum, { rows }) => sum + (rows?.B?.length ?? 0), 0);
    expect(first.readUnits).toBeLessThan(bytes / 4096);
    await mail.search({ kind: "containing", query: "quince" });
    expect(meter.reset().total.requests).toBe(1);
    await mail.close();
  });

  test.each([
    [0, false],
    [0, true],
    [1300, false],
    [1300, true],
  ])(
    "are made by two instances at once without harm, %i words, embedded: %s",
    async (words, atomicBatches) => {
      const world = await twoHours({ words });
      const { port, clock } = world;
      // The lease of the other does not stop them.
      const greedy = {
        ...wrapPort(port, async (operation, input, options, next) => {
          const { Key } = input as { readonly Key?: Item };
          if (operation === "UpdateItem" && Key?.["sk"]?.S === "~blocks") return {} as never;
          return next(operation, input, options);
        }),
        atomicBatches,
      };
      const instances = [await openMail(greedy, { clock }), await openMail(greedy, { clock })];
      for (const mail of instances) await expectFound(mail, world.ids);
      expect(await advanceUntil(clock, () => hasAllBlocks(port))).toBe(true);
      expect(await expectFoundByNew(world, world.ids)).toBeLessThan(8);
      for (const mail of instances) await mail.close();
      const names = (await itemsOf(port, "g#")).flatMap(({ name, phrases }) => [name?.S, phrases?.S]);
      expect((await itemsOf(port, "w#")).length > 0).toBe(words > 0 || atomicBatches);
      for (const { sk } of await itemsOf(port, "w#")) expect(names).toContain(sk?.S?.split(".")[0]);
    },
  );

  test.each([0, 1300])("are removed after all messages were deleted, %i words", async (words) => {
    const world = await twoHours({ words });
    await makeBlocks(world.port, world.clock);
    const isPhrases = ({ texts }: Item) => texts !== undefined;
    const made = await itemsOf(world.port, "w#");
    expect(made.filter(isPhrases)).toHaveLength(6);
    expect(made.some((item) => !isPhrases(item))).toBe(words > 0);
    const mail = await openMail(world.port, { clock: world.clock });
    expect(await mail.deleteAll()).toBe(world.ids.length);
    await expectFoundByNew(world, []);
    await mail.reclaim();
    expect(await itemsOf(world.port, "g#")).toEqual([]);
    expect(await itemsOf(world.port, "w#")).toEqual([]);
    await mail.close();
  });

  test("cost a write unit for each KiB of signatures, and reading these once", async () => {
    const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9) });
    const engine = await engineWithMail({ clock });
    const mail = await openMail(engine, { clock });
    const count = 600;
    for (let at = 0; at < count; at++)
      await mail.store(envelope, letter(String(at), `${varied(at, 1300)}\r\n`));
    await mail.close();
    clock.jump(2 * hour);
    const { port, meter } = metered(engine, { capacity: true });
    const another = await openMail(port, { clock });
    await another.search({ kind: "containing", query: "quince" });
    meter.reset();
    expect(await advanceUntil(clock, () => hasAllBlocks(engine))).toBe(true);
    await another.close();
    const { writeUnits, readUnits } = meter.reset().total;
    const signatures = await itemsOf(engine, "s#");
    const bytes = signatures.reduce((sum, { all }) => sum + (all?.B?.length ?? 0), 0);
    const blocks = (await itemsOf(engine, "g#")).length;
    const parts = (await itemsOf(engine, "w#")).length;
    // 30 bytes for an id, for each block its key, its entry in the directory and the lease, and for each part its key.
    expect(writeUnits).toBeLessThan((bytes + 30 * count) / 1024 + 4 * blocks + parts);
    // A signature's own item has about 100 bytes more.
    expect(readUnits).toBeLessThan((bytes + 130 * count) / 4096 + 4 * blocks + 10);
  });
});

describe("an instance that makes blocks, stopped after any request", () => {
  test.each([
    { each: 17, words: 0, embedded: false },
    { each: 17, words: 0, embedded: true },
    { each: 34, words: 1300, embedded: false },
  ])(
    "leaves an index that finds everything, and another one continues: %o",
    async ({ embedded, ...content }) => {
      const report = await stopAfterNth<BlockWorld>({
        setup: () => twoHours(content),
        async run(port, { clock, port: engine }) {
          const mail = await openMail({ ...port, atomicBatches: embedded }, { clock });
          await mail.search({ kind: "containing", query: "quince" }, { total: true });
          for (let round = 0; round < 40 && !(await hasAllBlocks(engine)); round++) {
            await clock.advance(round === 0 ? 3000 : 100);
            for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
          }
          await mail.close();
        },
        async check(world) {
          await expectFoundByNew(world, world.ids);
          // The lease of the one that stopped ends.
          world.clock.jump(120_000);
          await makeBlocks(world.port, world.clock);
          assert.ok((await expectFoundByNew(world, world.ids)) < 8);
        },
        teardown: ({ port }) => port.close(),
      });
      expect(report.requests).toBeGreaterThan(8);
    },
  );
});

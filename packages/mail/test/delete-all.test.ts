import assert from "node:assert/strict";
import { type DynamoPort, type OperationName, wrapPort } from "@tablekeep/core";
import { exploreInterleavings, fakeClock, faultyPort, stopAfterNth, type World } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { type Mail, type MailOptions, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

const start = Date.UTC(2050, 0, 1, 9, 30);

interface DeleteWorld extends World {
  readonly options: MailOptions;
  readonly ids: readonly string[];
  readonly events: string[];
}

async function setup(count: number, inbox?: string): Promise<DeleteWorld> {
  const options = { clock: fakeClock({ startAt: start }), shards: 1, ...(inbox !== undefined && { inbox }) };
  const port = await engineWithMail(options);
  const mail = await openMail(port, options);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await mail.store(envelope, letter(`old ${n}`))).id);
  await mail.close();
  return { port, options, ids, events: [] };
}

/** The kinds of items in a table, with their number: `m` summaries, `b` bytes, `s` signatures, `a` addresses. */
async function itemKinds(port: DynamoPort): Promise<Record<string, number>> {
  const { Items = [] } = await port.scan({ TableName: "mail" });
  const kinds: Record<string, number> = {};
  for (const { pk, sk } of Items) {
    const kind = sk?.S?.startsWith("~") ? sk.S : (pk?.S?.split("#")[0] ?? "");
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

/** The subjects of all messages. Every call must agree. */
async function visible(mail: Mail): Promise<string[]> {
  const { items } = await mail.list();
  assert.equal(await mail.count(), items.length);
  for (const search of [
    { kind: "containing", query: "hello" },
    { kind: "recipient", query: "bob@example.com" },
  ] as const) {
    const found = await mail.search(search, { total: true });
    assert.deepEqual(
      found.items.map(({ id }) => id),
      items.map(({ id }) => id),
    );
  }
  for (const { id } of items) assert.ok((await mail.load(id)) !== undefined);
  return items.map(({ subject }) => subject);
}

describe("progress", () => {
  test("is reported while messages are found, deleted, and their items removed", async () => {
    const { port, options } = await setup(100);
    const mail = await openMail(port, options);
    const reported: object[] = [];
    const onProgress = (progress: object) => void reported.push(progress);
    expect(await mail.deleteMany({ kind: "containing", query: "old" }, { onProgress })).toBe(100);
    expect([reported[0], ...reported.slice(99)]).toEqual([
      { found: 1, deleted: 0 },
      { found: 100, deleted: 0 },
      { found: 100, deleted: 98 },
      { found: 100, deleted: 100 },
    ]);
    await mail.store(envelope, letter("new"));
    expect(await mail.deleteAll({ onProgress })).toBe(1);
    reported.length = 0;
    expect(await mail.reclaim({ onProgress })).toBe(1);
    expect(reported).toEqual([{ deleted: 1 }]);
    await assert.rejects(mail.deleteAll({ onProgress: 1 } as never), { code: "MAIL_OPTION_INVALID" });
    await mail.close();
    await port.close();
  });
});

describe("deleting all messages", () => {
  test.each(["default", "one"])(
    "is in order with stores and lists of other instances, whatever the order of requests (inbox %s)",
    async (inbox) => {
      const report = await exploreInterleavings<DeleteWorld>(
        {
          setup: () => setup(2, inbox),
          actors: {
            // Each has read the table before: what it remembers may be outdated.
            s: async (port, { options, events }) => {
              const mail = await openMail(port, options);
              await mail.list();
              events.push("store begins");
              await mail.store(envelope, letter("new"));
              events.push("store ends");
            },
            d: async (port, { options, events }) => {
              const mail = await openMail(port, options);
              events.push("delete begins");
              await mail.deleteAll();
              events.push("delete ends");
              await mail.close();
            },
            r: async (port, { options, events }) => {
              const mail = await openMail(port, options);
              for (let round = 0; round < 3; round++) {
                events.push("list begins");
                const { items } = await mail.list();
                events.push(`list ${items.map(({ subject }) => subject).join()}`);
              }
            },
          },
          async check({ port, options, ids, events }) {
            const at = (name: string) => events.indexOf(name);
            const fresh = await openMail(port, options);
            const left = await visible(fresh);
            assert.ok(left.every((subject) => subject === "new"));
            if (at("store begins") > at("delete ends")) assert.deepEqual(left, ["new"]);
            if (at("store ends") < at("delete begins")) assert.deepEqual(left, []);
            for (const id of ids) assert.equal(await fresh.load(id), undefined);
            const lists = events.filter((event) => event.startsWith("list ") && event !== "list begins");
            for (const name of ["old 0", "old 1", "new"]) {
              const seen = lists.map((list) => list.includes(name));
              // What was deleted does not come back.
              const last = seen.lastIndexOf(true);
              const first = seen.indexOf(true);
              if (first >= 0) assert.ok(seen.slice(first, last + 1).every(Boolean), `${name} came back`);
            }
            const deleted = at("delete ends");
            for (const [place, event] of events.entries())
              if (event === "list begins" && place > deleted)
                assert.ok(!events.slice(place).find((each) => each.startsWith("list old")));
          },
          teardown: ({ port }) => port.close(),
        },
        { walks: 40, seed: 3 },
      );
      expect(report.orders.length).toBe(40);
    },
  );

  test("does not depend on clocks: one server is an hour ahead, another an hour behind", async () => {
    const clock = fakeClock({ startAt: start });
    const port = await engineWithMail({ clock });
    const ahead = await openMail(port, { clock: { ...clock, now: () => clock.now() + 3_600_000 } });
    const behind = await openMail(port, { clock: { ...clock, now: () => clock.now() - 3_600_000 } });
    await ahead.store(envelope, letter("ahead"));
    await behind.store(envelope, letter("behind"));
    expect(await behind.deleteAll()).toBe(2);
    expect([await visible(ahead), await visible(behind)]).toEqual([[], []]);
    await behind.store(envelope, letter("later, behind"));
    expect([await visible(ahead), await visible(behind)]).toEqual([["later, behind"], ["later, behind"]]);
    expect(await ahead.deleteAll()).toBe(1);
    await behind.store(envelope, letter("last"));
    expect([await visible(ahead), await visible(behind)]).toEqual([["last"], ["last"]]);
  });

  test.each(["default", "one"])("is done although its response was lost (inbox %s)", async (inbox) => {
    const { port, options } = await setup(3, inbox);
    const faulty = faultyPort(port, "seed=1 faults=[{op:UpdateItem,nth:1,kind:lost-after-apply}]");
    const mail = await openMail(faulty, options);
    expect(await mail.deleteAll()).toBe(3);
    expect(await visible(mail)).toEqual([]);
  });

  test("deletes a message that is being committed, and does not announce it", async () => {
    const { port, options } = await setup(1);
    let hold: Promise<void> | undefined;
    let reached = () => {};
    const held = wrapPort(port, async (operation: OperationName, input, call, next) => {
      if (operation === "BatchWriteItem" && hold !== undefined) {
        reached();
        await hold;
      }
      return next(operation, input, call) as never;
    });
    const mail = await openMail(held, options);
    const changes = mail.watchChanges()[Symbol.asyncIterator]();
    const first = changes.next();
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    let release = () => {};
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const atBatch = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const storing = mail.store(envelope, letter("meanwhile"));
    await atBatch;
    await mail.deleteAll();
    hold = undefined;
    release();
    await storing;
    expect((await first).value).toMatchObject({ kind: "cleared" });
    const { id } = await mail.store(envelope, letter("later"));
    expect((await changes.next()).value).toMatchObject({ kind: "stored", summary: { id } });
    expect(await visible(mail)).toEqual(["later"]);
    await mail.close();
  });

  test("is reported to watchers of other instances", async () => {
    const clock = fakeClock({ startAt: start });
    const port = faultyPort(await engineWithMail({ clock }), "seed=1 faults=[]", { clock });
    const [mail, other] = [await openMail(port, { clock }), await openMail(port, { clock })] as const;
    const work = async () => {
      await mail.store(envelope, letter("old"));
      const changes = other.watchChanges({ after: (await mail.list()).items[0]?.id ?? "" });
      const iterator = changes[Symbol.asyncIterator]();
      const first = iterator.next();
      await mail.store(envelope, letter("seen"));
      expect((await first).value).toMatchObject({ kind: "stored" });
      await mail.deleteAll();
      expect((await iterator.next()).value).toMatchObject({ kind: "cleared" });
      await mail.close();
      await other.close();
    };
    await clock.autoAdvance(work, { busy: () => port.busy() });
  });
});

describe("items of deleted messages", () => {
  test("are removed completely, wherever an earlier attempt was stopped", async () => {
    const report = await stopAfterNth<DeleteWorld>({
      setup: () => setup(3),
      run: async (port, { options }) => {
        const mail = await openMail(port, options);
        await mail.deleteAll();
        await mail.reclaim();
      },
      async check({ port, options }) {
        const mail = await openMail(port, options);
        const left = await visible(mail);
        assert.ok(left.length === 0 || left.length === 3);
        await mail.deleteAll();
        await mail.store(envelope, letter("new"));
        await mail.reclaim();
        await mail.close();
        assert.deepEqual(await visible(await openMail(port, options)), ["new"]);
        const { "~sweep": _lease, ...kinds } = await itemKinds(port);
        assert.deepEqual(kinds, { m: 1, b: 1, s: 1, hours: 1, "~era": 1 });
      },
      teardown: ({ port }) => port.close(),
    });
    expect(report.requests).toBeGreaterThan(8);
  });

  test("are removed in the background at a limited rate, and by another instance if the first one stops", async () => {
    const clock = fakeClock({ startAt: start });
    const options = { clock, shards: 1 };
    const engine = await engineWithMail(options);
    const port = faultyPort(engine, "seed=1 faults=[]", { clock });
    const first = await openMail(port, options);
    const second = await openMail(port, options);
    await clock.autoAdvance(
      async () => {
        for (let n = 0; n < 250; n++) await first.store(envelope, letter(String(n)));
        await second.store(envelope, letter("another"));
      },
      { busy: () => port.busy() },
    );
    expect(await first.deleteAll()).toBe(251);
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect((await itemKinds(engine))["m"]).toBe(251);
    await clock.advance(1000);
    for (let turn = 0; turn < 2000; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect((await itemKinds(engine))["m"]).toBe(151);
    await first.close();
    // The other instance continues once the first has done nothing for a minute.
    expect(await second.count()).toBe(0);
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect((await itemKinds(engine))["m"]).toBe(151);
    await clock.advance(120_000);
    expect(await second.count()).toBe(0);
    for (let round = 0; round < 10; round++) {
      for (let turn = 0; turn < 300; turn++) await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(2000);
    }
    expect(await itemKinds(engine)).toEqual({ "~era": 1 });
    await second.close();
  });
});

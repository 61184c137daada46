import assert from "node:assert/strict";
import { wrapPort } from "@tablekeep/core";
import { type FakeClock, fakeClock, stopAfterNth, type World } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { type Mail, type MailOptions, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

interface StopWorld extends World {
  readonly clock: FakeClock;
  readonly options: MailOptions;
  /** Another instance, with cached counts from before the stop. */
  readonly other: Mail;
  readonly ids: readonly string[];
}

const large = letter("large", "0123456789abcdef\r\n".repeat(50_000));

/** Messages in an hour that has ended and in the present one; another instance has counted and searched them. */
async function setup(options: MailOptions): Promise<StopWorld> {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9, 59) });
  const given = { ...options, clock };
  const port = await engineWithMail(given);
  const other = await openMail(port, given);
  const ids: string[] = [];
  for (const subject of ["old 1", "old 2"]) ids.push((await other.store(envelope, letter(subject))).id);
  clock.jump(2 * 3_600_000);
  for (const subject of ["new 1", "new 2"]) ids.push((await other.store(envelope, letter(subject))).id);
  await readAll(other);
  return { port, clock, options: given, other, ids };
}

const searches = [
  { kind: "containing", query: "hello" },
  { kind: "from", query: "ann@" },
  { kind: "recipient", query: "bob@example.com" },
] as const;

/** Reads the messages in every way. All must agree. */
async function readAll(mail: Mail): Promise<string[]> {
  const ids = (await mail.list()).items.map(({ id }) => id);
  assert.equal(await mail.count(), ids.length, "count differs from list");
  for (const search of searches) {
    const found = (await mail.search(search, { total: true })).items.map(({ id }) => id);
    const missing = ids.filter((id) => !found.includes(id));
    assert.deepEqual(
      found.filter((id) => !ids.includes(id)),
      [],
      `${search.kind} finds messages that are not listed`,
    );
    // The large message has other words.
    for (const id of missing)
      assert.equal((await mail.load(id))?.subject, "large", `${search.kind} misses ${id}`);
  }
  for (const id of ids)
    assert.ok((await mail.load(id)) !== undefined, `${id} is listed and cannot be loaded`);
  return ids;
}

/** An instance with cached state and a new one must see the same. */
async function checkAll({ port, options, other }: StopWorld): Promise<string[]> {
  const seen = await readAll(other);
  assert.deepEqual(
    await readAll(await openMail(port, options)),
    seen,
    "two instances see different messages",
  );
  return seen;
}

const teardown = ({ port }: StopWorld) => port.close();

describe.each([{ layout: "sharded" }, { layout: "mhdynamo" }] as const)(
  "stopped after any request, %j",
  (options) => {
    test("a message is stored completely or not at all", async () => {
      const raw = options.layout === "sharded" ? large : letter("large", "x".repeat(10_000));
      const report = await stopAfterNth<StopWorld>({
        setup: () => setup(options),
        run: async (port, world) => (await openMail(port, world.options)).store(envelope, raw),
        async check(world, stop) {
          const seen = await checkAll(world);
          const fresh = seen.filter((id) => !world.ids.includes(id));
          assert.ok(fresh.length <= 1);
          if (stop === undefined) assert.equal(fresh.length, 1);
          for (const id of fresh) {
            const message = await world.other.load(id);
            assert.ok(message !== undefined && Buffer.compare(message.raw, raw) === 0);
          }
          assert.ok(world.ids.every((id) => seen.includes(id)));
        },
        teardown,
      });
      expect(report.requests).toBeGreaterThan(2);
    });

    test("an import is stored and announced once, or neither", async () => {
      const raw = letter("imported");
      const original = { created: Date.UTC(2049, 5, 1), key: "elsewhere" };
      const report = await stopAfterNth<StopWorld>({
        async setup() {
          const world = await setup(options);
          world.clock.jump(1);
          return world;
        },
        run: async (port, world) =>
          (await openMail(port, world.options)).importMessage(original, envelope, raw),
        async check(world, stop) {
          const fresh = (await checkAll(world)).filter((id) => !world.ids.includes(id));
          assert.ok(fresh.length <= 1);
          if (stop === undefined) assert.equal(fresh.length, 1);
          world.clock.jump(1);
          const { id: last } = await world.other.store(envelope, letter("last"));
          const announced: string[] = [];
          for await (const { id } of world.other.watch({ after: world.ids.at(-1) })) {
            if (id === last) break;
            announced.push(id);
          }
          assert.deepEqual(announced, fresh);
        },
        teardown,
      });
      expect(report.requests).toBeGreaterThan(2);
    });

    test("a delete of messages in old and new hours leaves count and list equal", async () => {
      const report = await stopAfterNth<StopWorld>({
        setup: () => setup(options),
        run: async (port, world) => {
          const mail = await openMail(port, world.options);
          await mail.count();
          await mail.deleteMany(world.ids.filter((_, at) => at % 2 === 0));
        },
        async check(world, stop) {
          const seen = await checkAll(world);
          const kept = world.ids.filter((_, at) => at % 2 === 1);
          assert.ok(kept.every((id) => seen.includes(id)));
          if (stop === undefined) assert.deepEqual(seen.toSorted(), kept.toSorted());
        },
        teardown,
      });
      expect(report.requests).toBeGreaterThan(4);
    });

    test("a stopped delete of all messages leaves complete messages, and the next one deletes them", async () => {
      const report = await stopAfterNth<StopWorld>({
        setup: () => setup(options),
        run: async (port, world) => (await openMail(port, world.options)).deleteAll(),
        async check(world, stop) {
          const left = await checkAll(world);
          assert.ok(left.every((id) => world.ids.includes(id)));
          if (stop === undefined) assert.deepEqual(left, []);
          assert.equal(await world.other.deleteAll(), left.length);
          assert.deepEqual(await checkAll(world), []);
        },
        teardown,
      });
      expect(report.requests).toBeGreaterThan(4);
    });

    test("an aborted delete of all messages leaves complete messages, and the next one deletes them", async () => {
      for (let nth = 1, finished = false; !finished; nth++) {
        const world = await setup(options);
        const caller = new AbortController();
        let requests = Number.NEGATIVE_INFINITY;
        const port = wrapPort(world.port, (operation, input, call, next) => {
          if (++requests === nth) caller.abort(new Error("aborted"));
          return next(operation, input, call);
        });
        const mail = await openMail(port, world.options);
        requests = 0;
        const deleted = await mail.deleteAll({ signal: caller.signal }).catch((error: unknown) => {
          const { code, details } = error as { code?: string; details?: { deleted?: number } };
          assert.ok(caller.signal.aborted);
          return code === "MAIL_DELETE_INCOMPLETE" ? (details?.deleted ?? 0) : 0;
        });
        finished = requests < nth;
        await mail.close();
        const left = await checkAll(world);
        // A delete whose answer was not awaited may have happened.
        assert.ok(left.length <= world.ids.length - deleted);
        if (finished) assert.deepEqual(left, []);
        assert.equal(await world.other.deleteAll(), left.length);
        assert.deepEqual(await checkAll(world), []);
        await teardown(world);
        expect(nth).toBeLessThan(100);
      }
    });
  },
);

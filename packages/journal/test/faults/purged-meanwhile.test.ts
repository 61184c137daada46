import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { buildContext } from "../../src/context/build-context.ts";
import type { JournalOptions } from "../../src/context/journal-options.ts";
import { openJournal } from "../../src/open-journal.ts";
import { append, collect, engineWith, layouts } from "../journal-world.ts";
import { searchTimeoutMs } from "./scale.ts";

const table = "journal";
const id = "a";
const hourMs = 3_600_000;

const textsOf = (life: string, count: number) =>
  Array.from({ length: count }, (_unused, at) => `${life} ${at}`);

async function write(port: DynamoPort, options: JournalOptions, life: string, count: number) {
  await append(await openJournal(port, options), id, [textsOf(life, count).map((payload) => ({ payload }))]);
}

/** A request, as text. */
type IsMoment = (operation: string, input: string, count: number) => boolean;

/**
 * Runs `work` on a journal whose id is purged and used again right before the request that `isMoment` names. Returns what is
 * replayed then, or undefined if there was no such request.
 */
async function purgedMeanwhile(
  options: JournalOptions,
  count: number,
  prepare: (port: DynamoPort) => Promise<void>,
  work: (port: DynamoPort) => Promise<void>,
  isMoment: IsMoment,
): Promise<unknown[] | undefined> {
  const port = await engineWith(options);
  await write(port, options, "old", count);
  await prepare(port);
  let restarted = false;
  let requests = 0;
  const slow = wrapPort(port, async (operation, input, call, next) => {
    if (!restarted && isMoment(operation, JSON.stringify(input), requests++)) {
      restarted = true;
      await (await openJournal(port, options)).purge(id);
      await write(port, options, "new", count);
    }
    return next(operation, input, call);
  });
  await work(slow);
  const events = await collect((await openJournal(port, options)).replay(id));
  await port.close();
  return restarted ? events.map(({ payload }) => payload) : undefined;
}

/** The request with this number, from 0. */
function request(nth: number): IsMoment {
  return (_operation, _input, count) => count === nth;
}

const isCommitRecord: IsMoment = (operation, input) =>
  (operation === "PutItem" && input.includes('"last"') && input.includes('"ttl"')) ||
  (operation === "DeleteItem" && input.includes("wid = :wid"));

const modes = [...layouts.map((layout) => [layout, "none"] as const), ["bucketed", "2.6"] as const];

describe.each(modes)("%s, akka %s: an id is purged and used again,", (layout, akka) => {
  const clock = fakeClock();
  // So small that every event is an item, and a batch of 120 is staged.
  const small = layout === "packed" && { maxItemSize: 120 };
  const options = { table, layout, akka, clock, ...small } as const;
  const deleteAll = (count: number) => async (port: DynamoPort) =>
    (await openJournal(port, options)).deleteTo(id, count);
  const nothing = async () => undefined;
  const later = (count: number) => async (port: DynamoPort) => {
    await deleteAll(count)(port);
    await clock.advance(25 * hourMs);
  };
  /** Requests that open a journal: the delete begins after them. */
  const opening = 1;

  test.each([4, 3, 100])(
    "at any request of a delete to %d of 4: no event of the new life is lost",
    async (to) => {
      for (let nth = opening + 1; ; nth++) {
        const found = await purgedMeanwhile(options, 4, nothing, deleteAll(to), request(nth));
        if (found === undefined) return expect(nth).toBeGreaterThan(8);
        expect(found, `request ${nth}`).toEqual(textsOf("new", 4));
      }
    },
    searchTimeoutMs,
  );

  test(
    "at any request of a delete to a number that it reads first: no event of the new life is lost",
    async () => {
      const readFirst = async (port: DynamoPort) => {
        const journal = await openJournal(port, options);
        await journal.deleteTo(id, async () => journal.highestSequenceNr(id));
      };
      for (let nth = opening + 1; ; nth++) {
        const found = await purgedMeanwhile(options, 4, nothing, readFirst, request(nth));
        if (found === undefined) return expect(nth).toBeGreaterThan(8);
        expect(found, `request ${nth}`).toEqual(textsOf("new", 4));
      }
    },
    searchTimeoutMs,
  );

  test.each([undefined, 5, new Error("planted")])(
    "or not: a delete to a number that is read as %s deletes nothing and leaves nothing",
    async (read) => {
      for (const count of [0, 4]) {
        const port = await engineWith(options);
        if (count > 0) await write(port, options, "old", count);
        const journal = await openJournal(port, options);
        const before = (await port.scan({ TableName: table })).Count;
        const deleted = journal.deleteTo(id, async () => {
          if (read instanceof Error) throw read;
          return read;
        });
        if (read instanceof Error) await expect(deleted).rejects.toBe(read);
        else await deleted;
        expect(await collect(journal.replay(id))).toHaveLength(count);
        if (count === 0) expect((await port.scan({ TableName: table })).Count).toBe(before);
        await port.close();
      }
    },
  );

  test(
    "at any request of a delete to a number without an event: no event of the new life is lost",
    async () => {
      const hole = async (port: DynamoPort) => {
        const Key = buildContext(port, options).context.layout.eventKey(id, 3);
        await port.deleteItem({ TableName: table, Key });
      };
      for (let nth = opening + 1; ; nth++) {
        const found = await purgedMeanwhile(options, 4, hole, deleteAll(3), request(nth));
        if (found === undefined) return expect(nth).toBeGreaterThan(8);
        expect(found, `request ${nth}`).toEqual(textsOf("new", 4));
      }
    },
    searchTimeoutMs,
  );

  test(
    "at any request of a delete that removes expired tombstones: no event of the new life is lost",
    async () => {
      for (let nth = 0; ; nth++) {
        // A delete to 0 only completes the one before it.
        const found = await purgedMeanwhile(options, 4, later(4), deleteAll(0), request(nth));
        if (found === undefined) return expect(nth).toBeGreaterThan(2);
        expect(found, `request ${nth}`).toEqual(textsOf("new", 4));
      }
    },
    searchTimeoutMs,
  );

  // Where Akka shares the table there are no tombstones that would remove the record.
  const records = [
    ["a delete keeps", nothing, 120] as const,
    ...(akka === "none" ? [["a delete removes", later(120), 0] as const] : []),
  ];
  test.each(records)(
    "when %s the commit record of a staged batch: the batch of the new life stays committed",
    async (_what, prepare, to) => {
      const found = await purgedMeanwhile(options, 120, prepare, deleteAll(to), isCommitRecord);
      expect(found).toEqual(textsOf("new", 120));
    },
    searchTimeoutMs,
  );
});

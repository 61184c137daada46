import { type DynamoPort, mayWrite, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import type { LayoutName } from "@tablekeep/journal";
import { seededRandom } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { appendSome, expectWhole, feedOf, newWorld } from "./feed-world.ts";

const layouts: readonly LayoutName[] = ["packed", "bucketed"];
const inMemory = async (layout: LayoutName) =>
  newWorld(await openEngine({ storage: { kind: "memory" } }), { table: "events", layout });

class Died extends Error {}

/** A port whose process ends with its nth request: before it is sent, or after it is applied. */
function mortal(port: DynamoPort, nth: number, isApplied: boolean): DynamoPort {
  let requests = 0;
  return wrapPort(port, async (operation, input, options, next) => {
    if (++requests < nth) return next(operation, input, options);
    if (requests === nth && isApplied) await next(operation, input, options);
    throw new Died();
  });
}

test.each(layouts)("a sequencer that ends at any request loses and repeats nothing (%s)", async (layout) => {
  const world = await inMemory(layout);
  await appendSome(world, 3);
  let deaths = 0;
  for (let nth = 1; nth <= 30; nth++) {
    for (const isApplied of [false, true]) {
      const feed = feedOf(world, mortal(world.port, nth, isApplied));
      const ended = feed.then((opened) => opened.catchUp()).then(() => true);
      if (!(await ended.catch((error: unknown) => !(error instanceof Died)))) deaths++;
      await appendSome(world, 3, nth);
    }
  }
  expect(deaths).toBeGreaterThan(30);
  await expectWhole(world);
  await world.port.close();
});

test.each([1, 2, 3, 4])(
  "sequencers that compete and end at random requests write one feed (seed %i)",
  async (seed) => {
    const world = await inMemory(seed % 2 === 0 ? "packed" : "bucketed");
    const random = seededRandom(seed);
    await appendSome(world, 4);
    let isAppending = true;
    const sequencers = [1, 2].map(async () => {
      while (isAppending) {
        const port = mortal(world.port, random.int(1, 60), random.int(0, 1) === 1);
        const ended = feedOf(world, port).then((opened) => opened.catchUp());
        await ended.catch((error: unknown) => {
          if (!(error instanceof Died)) throw error;
        });
        // Appends get a turn too.
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    for (let round = 1; round <= 20; round++) {
      await appendSome(world, 6, round);
      await new Promise((resolve) => setImmediate(resolve));
    }
    isAppending = false;
    await Promise.all(sequencers);
    await expectWhole(world);
    await world.port.close();
  },
);

test("a run that fails leaves no lease that the next one would wait for", async () => {
  const world = await inMemory("packed");
  await appendSome(world, 3);
  let broken = true;
  const port = wrapPort(world.port, (operation, input, options, next) => {
    if (broken && operation === "GetRecords") throw new Died();
    return next(operation, input, options);
  });
  const feed = await feedOf(world, port);
  const { signal } = new AbortController();
  await expect(feed.run({ signal })).rejects.toThrow(Died);
  broken = false;
  expect((await feed.status()).lease).toBeUndefined();
  await world.port.close();
});

test("a page whose answer is lost is in the feed once", async () => {
  const world = await inMemory("packed");
  await appendSome(world, 4);
  let lost = 0;
  const port = wrapPort(world.port, async (operation, input, options, next) => {
    const answer = await next(operation, input, options);
    // As a port does that resends: the second copy meets its own success.
    if (mayWrite(operation, input) && lost++ % 2 === 0) return next(operation, input, options);
    return answer;
  });
  const feed = await feedOf(world, port);
  await feed.catchUp();
  await appendSome(world, 4, 1);
  await feed.catchUp();
  expect(lost).toBeGreaterThan(3);
  await expectWhole(world);
  await world.port.close();
});

test("a stream that was disabled and enabled again is followed by a sweep", async () => {
  const world = await inMemory("packed");
  await appendSome(world, 3);
  await (await feedOf(world)).catchUp();
  const TableName = "events";
  await world.port.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
  await appendSome(world, 5, 1);
  await expectWhole(world);
  await world.port.close();
});

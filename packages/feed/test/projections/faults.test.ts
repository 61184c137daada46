import { type DynamoPort, type OperationName, TablekeepError, wrapPort } from "@tablekeep/core";
import { seededRandom } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import {
  caughtUp,
  expectAllApplied,
  feedSome,
  listProjection,
  newProjectionWorld,
  type ProjectionWorld,
  running,
} from "./projection-world.ts";

const died = () =>
  new TablekeepError({
    code: "TEST_DIED",
    kind: "unavailable",
    message: "died",
    details: {},
    ambiguous: true,
  });

/** A port whose process ends with its nth request: before it is sent, or after it is applied. */
function mortal(
  port: DynamoPort,
  nth: number,
  isApplied: boolean,
): { port: DynamoPort; death: Promise<void> } {
  let requests = 0;
  let die = () => {};
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  const wrapped = wrapPort(port, async (operation, input, options, next) => {
    if (++requests < nth) return next(operation, input, options);
    if (requests === nth && isApplied) await next(operation, input, options);
    die();
    throw died();
  });
  return { port: wrapped, death };
}

const quick = { leaseMs: 30, pollMs: 5 };

/** Runs until the process has died or everything is applied. */
async function runUntilDeath(world: ProjectionWorld, nth: number, isApplied: boolean): Promise<boolean> {
  const { port, death } = mortal(world.port, nth, isApplied);
  try {
    await using _run = await running(world, [listProjection(world, { groupSize: 3 })], { ...quick, port });
    const end = caughtUp(world).then(() => false);
    end.catch(() => {});
    return await Promise.race([death.then(() => true), end]);
  } catch (error) {
    if ((error as { code?: string }).code !== "TEST_DIED") throw error;
    return true;
  }
}

test("a runner that ends at any request loses and repeats nothing", async () => {
  const world = await newProjectionWorld();
  let deaths = 0;
  for (let nth = 1; nth <= 40; nth++) {
    await feedSome(world, 3, nth);
    if (await runUntilDeath(world, nth, nth % 2 === 0)) deaths++;
  }
  expect(deaths).toBeGreaterThan(20);
  await using _run = await running(world, [listProjection(world)], quick);
  await caughtUp(world);
  await expectAllApplied(world);
});

test.each([1, 2])(
  "runners that compete and end at random requests apply everything once (seed %i)",
  async (seed) => {
    const world = await newProjectionWorld();
    const random = seededRandom(seed);
    await feedSome(world, 4);
    let isAppending = true;
    const runners = [1, 2].map(async () => {
      while (isAppending) await runUntilDeath(world, random.int(8, 60), random.int(0, 1) === 1);
    });
    for (let round = 1; round <= 8; round++) await feedSome(world, 5, round);
    isAppending = false;
    await Promise.all(runners);
    await using _run = await running(world, [listProjection(world)], quick);
    await caughtUp(world);
    await expectAllApplied(world);
  },
);

test("a runner that rests while another takes its slices over applies nothing when it continues", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 8);
  let isResting = false;
  let wake = () => {};
  const rest = new Promise<void>((resolve) => {
    wake = resolve;
  });
  let rejected = 0;
  const port = wrapPort(world.port, async (operation, input, options, next) => {
    if (operation === "TransactWriteItems") isResting = true;
    if (isResting) await rest;
    try {
      return await next(operation, input, options);
    } catch (error) {
      if (operation === "TransactWriteItems") rejected++;
      throw error;
    }
  });
  await using _zombie = await running(world, [listProjection(world)], { ...quick, port });
  await expect.poll(() => isResting).toBe(true);
  await using _run = await running(world, [listProjection(world)], quick);
  await caughtUp(world);
  await expectAllApplied(world);
  wake();
  await expect.poll(() => rejected).toBeGreaterThan(0);
  await feedSome(world, 8, 1);
  await caughtUp(world);
  await expectAllApplied(world);
});

/** Every third request of these operations gets no answer: it is carried out, or not, or later. */
function losing(
  port: DynamoPort,
  operations: readonly OperationName[],
  late: Promise<unknown>[],
): DynamoPort {
  let requests = 0;
  return wrapPort(port, async (operation, input, options, next) => {
    if (!operations.includes(operation) || ++requests % 3 !== 0) return next(operation, input, options);
    if (requests % 9 === 0) await next(operation, input, options);
    else if (requests % 9 === 3)
      late.push(
        new Promise((resolve) => setImmediate(resolve))
          .then(() => next(operation, input, options))
          .catch(() => {}),
      );
    throw died();
  });
}

test("a group whose answer is lost is applied once", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  const late: Promise<unknown>[] = [];
  const port = losing(world.port, ["TransactWriteItems", "UpdateItem"], late);
  await using _run = await running(world, [listProjection(world, { groupSize: 2 })], { ...quick, port });
  await caughtUp(world);
  await feedSome(world, 6, 1);
  await caughtUp(world);
  await Promise.all(late);
  await expectAllApplied(world);
  expect(late.length).toBeGreaterThan(0);
});

test("two runners share the slices, and one takes over when the other is gone", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 8);
  await using first = await running(world, [listProjection(world)], quick);
  await expect.poll(() => first.status()[0]?.slices.length).toBe(2);
  const second = await running(world, [listProjection(world)], quick);
  await expect.poll(() => second.status()[0]?.slices.length).toBe(1);
  await expect.poll(() => first.status()[0]?.slices.length).toBe(1);
  expect(first.status()[0]?.slices).not.toEqual(second.status()[0]?.slices);
  await second.stop();
  await expect.poll(() => first.status()[0]?.slices.length).toBe(2);
  await feedSome(world, 8, 1);
  await caughtUp(world);
  await expectAllApplied(world);
});

import { unwrap } from "@tablekeep/journal";
import { expect, test } from "vitest";
import { feedOf } from "../feed-world.ts";
import { caughtUp, feedSome, listProjection, newProjectionWorld, running } from "./projection-world.ts";

const event = { persistenceId: "thing|0", sequenceNr: 1 };

test("a wait for an event of a feed that was rebuilt ends, and the next version reaches it", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 2);
  const first = listProjection(world);
  await using run = await running(world, [first]);
  await run.reached(first, event);
  const feed = await feedOf(world);
  const old = await feed.position("end");
  await feed.rebuild();
  await feed.catchUp();
  const { last } = unwrap(await world.journal.append(event.persistenceId, { payload: 1 }));
  await feed.catchUp();
  const target = { ...event, sequenceNr: last };
  const changed = {
    code: "PROJECTION_FEED_CHANGED",
    details: { name: "lists", version: 1, generation: 1, current: 2 },
  };
  await expect(run.reached(first, target)).rejects.toMatchObject(changed);
  // Its old generation is removed.
  await feed.removeOld();
  await expect(run.reached(first, target)).rejects.toMatchObject(changed);
  const second = listProjection(world, { version: 2 });
  await using next = await running(world, [second]);
  await next.reached(second, target);
  await next.reached(second, { position: await feed.position("end") });
  await world.control.switchTo("lists", 2);
  await next.reached(second, target);
  await expect(next.reached(second, { position: old })).rejects.toMatchObject({
    code: "FEED_POSITION_OUTDATED",
  });
});

test("a wait for an event of an id that was purged ends if it was applied", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 2);
  const lists = listProjection(world);
  await using run = await running(world, [lists]);
  await caughtUp(world);
  await world.journal.purge(event.persistenceId);
  await run.reached(lists, event);
});

test("a wait for an event that was appended again after a purge does not end at the purged one", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 2);
  const lists = listProjection(world);
  await using run = await running(world, [lists]);
  await caughtUp(world);
  await world.journal.purge(event.persistenceId);
  unwrap(await world.journal.append(event.persistenceId, { payload: 2 }));
  // Slow is fine: the wait must not end before its deadline.
  await expect(run.reached(lists, event, { deadlineMs: 300 })).rejects.toMatchObject({
    code: "PROJECTION_DEADLINE_EXCEEDED",
  });
  await (await feedOf(world)).catchUp();
  await run.reached(lists, event);
  await caughtUp(world);
});

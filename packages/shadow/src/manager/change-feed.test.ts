import { unwrap } from "@tablekeep/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ShadowWorld, shadowWorld } from "../../test/shadow-world.ts";
import { openShadowManager, type ShadowManager, serverSentEvent } from "../index.ts";

let world: ShadowWorld;
let manager: ShadowManager;
beforeAll(async () => {
  world = await shadowWorld();
  const clock = { now: () => 1_700_000_000_000, monotonic: () => 0, after: () => () => {} };
  manager = openShadowManager(world.port, { table: world.table, clock });
});
afterAll(() => world.engine.close());

test("a watcher that does not keep up gets its queued changes, then an error", async () => {
  const watched = manager.watch({ id: "slow" }, { maxWaiting: 2 });
  for (const n of [1, 2, 3]) unwrap(await manager.report({ id: "slow", state: { n } }));
  expect([(await watched.next()).value?.version, (await watched.next()).value?.version]).toEqual([1, 2]);
  await expect(watched.next()).rejects.toMatchObject({ code: "SHADOW_FEED_OVERFLOW" });
  const over = manager.watch({ id: "slow" }, { maxWaiting: 1 });
  await over.return?.();
  expect(await over.next()).toEqual({ done: true, value: undefined });
});

test("a watch ends with its signal, even while it waits", async () => {
  const abort = new AbortController();
  const watched = manager.watch({}, { signal: abort.signal });
  const next = watched.next();
  abort.abort();
  expect((await next).done).toBe(true);
  expect((await manager.watch({}, { signal: abort.signal }).next()).done).toBe(true);
});

test("a change is one server-sent event", async () => {
  const events: string[] = [];
  const stop = manager.onChange((change) => events.push(serverSentEvent(change)), { id: "sse", name: "n" });
  const place = { id: "sse", name: "n" };
  unwrap(
    await manager.update({ ...place, desired: { a: "x\ny", big: 9007199254740993n }, clientToken: "t" }),
  );
  unwrap(await manager.report({ ...place, state: { a: "x\ny", big: 9007199254740993n } }));
  unwrap(await manager.delete(place));
  stop();
  const at = '"timestamp":1700000000';
  expect(events).toEqual([
    `id: 1\nevent: updated\ndata: {"id":"sse","name":"n","version":1,${at},"state":{"desired":{"a":"x\\ny","big":9007199254740993}},"delta":{"a":"x\\ny","big":9007199254740993},"changes":[{"half":"desired","path":"/a","kind":"added","after":"x\\ny"},{"half":"desired","path":"/big","kind":"added","after":9007199254740993}],"clientToken":"t"}\n\n`,
    expect.stringContaining(
      '"state":{"desired":{"a":"x\\ny","big":9007199254740993},"reported":{"a":"x\\ny","big":9007199254740993}},"changes"',
    ),
    `id: 2\nevent: deleted\ndata: {"id":"sse","name":"n","version":2,${at}}\n\n`,
  ]);
});

import { ensureTable } from "@tablekeep/client";
import { DynamoError, type DynamoPort, systemClock, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { mailTableSpec } from "@tablekeep/mail";
import { fakeClock } from "@tablekeep/testkit";
import { expect, onTestFinished, test } from "vitest";
import { type InboxDirectory, inboxDirectory } from "./inbox-directory.ts";

/** A directory in memory. `duringQuery` runs after each reading of the table, before its result arrives. */
async function directoryWith(duringQuery: (directory: InboxDirectory) => Promise<unknown>) {
  const engine = await openEngine({ storage: { kind: "memory" } });
  onTestFinished(() => engine.close());
  await ensureTable(engine, mailTableSpec());
  const port: DynamoPort = wrapPort(engine, async (operation, input, options, next) => {
    const output = await next(operation, input, options);
    if (operation === "Query") await duringQuery(directory);
    return output;
  });
  const directory = inboxDirectory({ port, table: "mail", ttlDays: 7, clock: systemClock });
  return directory;
}

test("changes by this server during a reading are in its result, and do not repeat it", async () => {
  let queries = 0;
  const directory = await directoryWith(async ({ save, remove }) => {
    queries++;
    await save({ name: `new-${queries}`, rules: [] });
    await save({ name: "added", rules: [] });
    await remove("old");
  });
  await directory.save({ name: "old", rules: [] });
  expect([...(await directory.read()).keys()]).toEqual(["added", "new-1"]);
  expect(queries).toBe(1);
});

test("a caller that aborts ends only its own wait for a shared read", async () => {
  let arrive = () => {};
  const directory = await directoryWith(() => new Promise<void>((resolve) => (arrive = resolve)));
  const call = new AbortController();
  const aborted = directory.read({ signal: call.signal });
  const other = directory.read();
  call.abort();
  await expect(aborted).rejects.toMatchObject({ code: "CLIENT_ABORTED" });
  // The reading may not have reached the table yet.
  const done = other.then(() => true);
  for (let isDone = false; !isDone; isDone = await Promise.race([done, turn()])) arrive();
  expect((await other).size).toBe(0);
});

function turn(): Promise<false> {
  return new Promise((resolve) => setImmediate(() => resolve(false)));
}

/** Servers on one table. */
async function servers() {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
  const port = await openEngine({ storage: { kind: "memory" }, clock });
  onTestFinished(() => port.close());
  await ensureTable(port, mailTableSpec());
  const server = (on: DynamoPort = port) => inboxDirectory({ port: on, table: "mail", ttlDays: 7, clock });
  return { clock, port, server };
}

test("an inbox that another server has removed is listed again with the next message", async () => {
  const { clock, server } = await servers();
  const [one, two] = [server(), server()];
  await one.enter("shop");
  expect([...(await two.read()).keys()]).toEqual(["shop"]);
  await two.remove("shop");
  await clock.advance(2_000);
  expect((await one.read()).size).toBe(0);
  await one.enter("shop");
  await clock.advance(2_000);
  for (const each of [one, two]) expect([...(await each.read()).keys()]).toEqual(["shop"]);
});

test("an inbox whose entry failed is entered with the next message, and with many messages once", async () => {
  const { port, server } = await servers();
  let writes = 0;
  const failing = wrapPort(port, (operation, input, options, next) => {
    if (operation !== "UpdateItem") return next(operation, input, options);
    if (++writes === 1)
      throw new DynamoError({ exception: "ThrottlingException", serviceMessage: "busy", ambiguous: false });
    return next(operation, input, options);
  });
  const directory = server(failing);
  await directory.read();
  await expect(directory.enter("shop")).rejects.toThrow();
  await Promise.all(Array.from({ length: 16 }, () => directory.enter("shop")));
  await directory.enter("shop");
  expect(writes).toBe(2);
  expect([...(await server().read()).keys()]).toEqual(["shop"]);
});

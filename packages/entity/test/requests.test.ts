/** The requests of entities, as `docs/reference/entities.md` lists them. */
import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { counter } from "./counter.ts";
import { engineForEntities, openWorld } from "./entity-world.ts";

const findSnapshot = "Query snapshots";
/** The marks, then the last rows: the recovery of `journal.load`. */
const readPosition = ["BatchGetItem events", "Query events"];
/** The page of events: what `journal.load` sends besides. */
const replay = ["Query events"];

const add = { type: "add", amount: 1 } as const;
const get = { type: "get" } as const;

/** Returns a port that records the operation and the table of each request. */
function recording(port: DynamoPort): { readonly port: DynamoPort; readonly sent: string[] } {
  const sent: string[] = [];
  const recorded = wrapPort(port, (operation, input, call, next) => {
    const { TableName, RequestItems, TransactItems } = input as {
      TableName?: string;
      RequestItems?: object;
      TransactItems?: readonly unknown[];
    };
    const target = TableName ?? Object.keys(RequestItems ?? {})[0] ?? `of ${TransactItems?.length}`;
    sent.push(`${operation} ${target}`);
    return next(operation, input, call);
  });
  return { port: recorded, sent };
}

/** Returns the requests that a fresh host sends for the first read of an entity with this many events. */
async function requestsOfLoad(events: number, options: { snapshotEvery?: number } = {}): Promise<string[]> {
  const engine = await engineForEntities();
  const first = await openWorld([counter], { port: engine, ...options });
  const amounts = Array.from({ length: events }, () => 1);
  if (events > 0) await first.host.of(counter).ask("a", { type: "addAll", amounts });
  await first.host.close();
  const { port, sent } = recording(engine);
  const second = await openWorld([counter], { port });
  sent.length = 0;
  expect(await second.host.of(counter).ask("a", get)).toEqual({ total: events, events });
  await second.host.close();
  return sent;
}

describe("loading an entity", () => {
  test("without events takes one snapshot query and one position read", async () => {
    expect(await requestsOfLoad(0)).toEqual([findSnapshot, ...readPosition]);
  });

  test("with events also takes a replay, which does not read the position again", async () => {
    expect(await requestsOfLoad(50)).toEqual([findSnapshot, ...readPosition, ...replay]);
  });

  test("whose snapshot is current takes no replay", async () => {
    expect(await requestsOfLoad(50, { snapshotEvery: 50 })).toEqual([findSnapshot, ...readPosition]);
  });
});

describe("a command to a loaded entity", () => {
  const loaded = async (options: { verifyReads?: boolean } = {}) => {
    const { port, sent } = recording(await engineForEntities());
    const { host } = await openWorld([counter], { port, ...options });
    const counters = host.of(counter);
    // The first event of a bucket also writes its high mark.
    for (let count = 0; count < 2; count++) await counters.ask("a", add);
    sent.length = 0;
    return { counters, sent };
  };

  test("with an event takes one put", async () => {
    const { counters, sent } = await loaded();
    await counters.ask("a", add);
    expect(sent).toEqual(["PutItem events"]);
  });

  test("with an event and an id takes one transaction", async () => {
    const { counters, sent } = await loaded();
    await counters.ask("a", add, { commandId: "1" });
    expect(sent).toEqual(["TransactWriteItems of 2"]);
  });

  test("shares one transaction with the others of its group", async () => {
    const { counters, sent } = await loaded();
    await Promise.all([1, 2, 3].map(() => counters.ask("a", add)));
    expect(sent).toEqual(["TransactWriteItems of 3"]);
  });

  test("without events takes no request, or a position read with verifyReads", async () => {
    const plain = await loaded();
    await plain.counters.ask("a", get);
    expect(plain.sent).toEqual([]);
    const verified = await loaded({ verifyReads: true });
    await verified.counters.ask("a", get);
    expect(verified.sent).toEqual(readPosition);
  });
});

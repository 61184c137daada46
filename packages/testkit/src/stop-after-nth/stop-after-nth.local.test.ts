import type { DynamoPort } from "@tablekeep/core";
import { afterAll, describe, expect, inject, test } from "vitest";
import { localPort } from "../../test/local-port.ts";
import { allItems, newTable } from "../../test/new-table.ts";
import { fakeClock, isTestkitError, type StopScenario, stopAfterNth } from "../index.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("stopAfterNth", () => {
  const port = localPort(endpoint);
  afterAll(() => port.close());

  interface Table {
    readonly port: DynamoPort;
    readonly TableName: string;
  }
  const setup = async (): Promise<Table> => ({ port, TableName: await newTable(port) });
  const teardown = async ({ TableName }: Table) => {
    await port.deleteTable({ TableName });
  };
  const put = (to: DynamoPort, TableName: string, sk: string) =>
    to.putItem({ TableName, Item: { pk: { S: "p" }, sk: { S: sk } } });
  const stored = async ({ TableName }: Table) =>
    (await allItems(port, TableName)).map((item) => item["sk"]?.S);

  test("stops at every request, before it is sent and after it is applied, and then not at all", async () => {
    const left: unknown[] = [];
    const report = await stopAfterNth<Table>({
      setup,
      teardown,
      async run(mortal, { TableName }) {
        for (const sk of ["a", "b", "c"]) await put(mortal, TableName, sk);
      },
      async check(world, stop) {
        left.push([stop?.n, stop?.variant, await stored(world)]);
      },
    });
    expect(left).toEqual([
      [1, "before", []],
      [1, "after", ["a"]],
      [2, "before", ["a"]],
      [2, "after", ["a", "b"]],
      [3, "before", ["a", "b"]],
      [3, "after", ["a", "b", "c"]],
      [undefined, undefined, ["a", "b", "c"]],
    ]);
    expect(report.requests).toBe(3);
    expect(report.stops).toHaveLength(6);
    expect(report.stops[0]).toMatchObject({ n: 1, variant: "before", operation: "PutItem" });
  });

  test("stops at some requests of many: the first, the last, and others between", async () => {
    const report = await stopAfterNth<Table>(
      {
        setup,
        teardown,
        async run(mortal, { TableName }) {
          for (let at = 1; at <= 20; at++) await put(mortal, TableName, String(at));
        },
        check: async () => undefined,
      },
      { maxStops: 6 },
    );
    expect(report.requests).toBe(20);
    expect([...new Set(report.stops.map(({ n }) => n))]).toEqual([1, 2, 10, 18, 19, 20]);
  });

  test("nothing of a stopped process acts on the database: no catch, finally, retry, timer or sibling", async () => {
    const acts = new Set<string>();
    await stopAfterNth<Table & { clock: ReturnType<typeof fakeClock> }>({
      setup: async () => ({ ...(await setup()), clock: fakeClock() }),
      teardown,
      async run(mortal, { TableName, clock }) {
        const timer = new Promise<void>((resolve) => {
          clock.after(1_000, () => resolve(put(mortal, TableName, "by-timer").then(() => undefined)));
        });
        try {
          await put(mortal, TableName, "one").catch(() => put(mortal, TableName, "by-catch"));
          await Promise.race([put(mortal, TableName, "two"), timer]);
        } finally {
          await put(mortal, TableName, "by-finally");
        }
      },
      async check(world, stop) {
        if (stop === undefined || stop.n > 2) return;
        await world.clock.advance(5_000);
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
        for (const sk of await stored(world)) acts.add(sk ?? "");
      },
    });
    expect([...acts].sort()).toEqual(["one", "two"]);
  });

  test("requests that were already on their way land before the check", async () => {
    const counts: number[] = [];
    await stopAfterNth<Table>(
      {
        setup,
        teardown,
        async run(mortal, { TableName }) {
          await Promise.all(["a", "b", "c", "d"].map((sk) => put(mortal, TableName, sk)));
        },
        async check(world) {
          counts.push((await stored(world)).length);
        },
      },
      { only: { n: 4, variant: "before" } },
    );
    expect(counts).toEqual([3]);
  });

  test("a scenario that does not wait for its last requests is stopped at them anyway", async () => {
    const { stops } = await stopAfterNth<Table>({
      setup,
      async run(mortal, { TableName }) {
        await put(mortal, TableName, "a");
        void put(mortal, TableName, "b");
      },
      async check() {},
    });
    expect(stops.map((stop) => stop.n)).toEqual([1, 1, 2, 2]);
  });

  /** Moves one unit from account a to account b in two writes: not safe to stop between them. */
  const transfer = (how: "two writes" | "one transaction"): StopScenario<Table> => {
    const change = (sk: string, by: number, TableName: string) => ({
      TableName,
      Key: { pk: { S: "account" }, sk: { S: sk } },
      UpdateExpression: "ADD balance :by",
      ExpressionAttributeValues: { ":by": { N: String(by) } },
    });
    return {
      setup,
      teardown,
      async run(mortal, { TableName }) {
        const [debit, credit] = [change("a", -1, TableName), change("b", 1, TableName)];
        if (how === "one transaction") {
          await mortal.transactWriteItems({ TransactItems: [{ Update: debit }, { Update: credit }] });
          return;
        }
        await mortal.updateItem(debit);
        await mortal.updateItem(credit);
      },
      async check({ TableName }) {
        const items = await allItems(port, TableName);
        const sum = items.reduce((total, item) => total + Number(item["balance"]?.N), 0);
        if (sum !== 0) throw new Error(`the balances add up to ${sum}`);
      },
    };
  };

  test("finds the gap between two writes, names it, and replays it", async () => {
    const failure = await stopAfterNth(transfer("two writes")).catch((error: unknown) => error);
    if (!isTestkitError(failure, "TESTKIT_STOP_FAILED")) throw failure;
    expect(failure.message).toContain("the balances add up to -1");
    expect(failure.message).toContain('replay with only: { n: 1, variant: "after" }');
    expect(failure.cause).toBeInstanceOf(Error);
    const { stop } = failure.details;
    if (stop === undefined) throw new Error("no place is named");
    await expect(stopAfterNth(transfer("two writes"), { only: stop })).rejects.toThrow("add up to -1");
    const before = { n: 1, variant: "before" } as const;
    expect((await stopAfterNth(transfer("two writes"), { only: before })).stops).toHaveLength(1);
  });

  test("finds nothing in one transaction", async () => {
    expect(await stopAfterNth(transfer("one transaction"))).toMatchObject({ requests: 1 });
  });

  test("an error of the scenario itself is the caller's to see, and a scenario without end is cut", async () => {
    const broken = { setup, run: () => Promise.reject(new Error("broken")), check: async () => {} };
    await expect(stopAfterNth(broken)).rejects.toThrow("broken");
    const endless = {
      setup,
      async run(mortal: DynamoPort, { TableName }: Table) {
        for (;;) await put(mortal, TableName, "again");
      },
      check: async () => {},
    };
    await expect(stopAfterNth(endless, { maxRequests: 3 })).rejects.toMatchObject({
      code: "TESTKIT_TOO_LONG",
    });
  });
});

import { buildPort, DynamoError, type InputOf, type OperationName, type OutputOf } from "@tablekeep/core";
import { describe, expect, it } from "vitest";
import { pk, s } from "./attribute-values.ts";
import { cases, type Row } from "./case-table.ts";
import type { PortWorld } from "./port-case.ts";

type Answers = { readonly [Name in OperationName]?: (input: InputOf<Name>) => OutputOf<Name> };

/** Runs a row against a port with these answers; returns the requests that it sent. */
async function run(row: Partial<Row>, answers: Answers): Promise<[string, unknown][]> {
  const sent: [string, unknown][] = [];
  const port = buildPort(
    async (operation, input) => {
      sent.push([operation, input]);
      const answer = answers[operation] as ((each: unknown) => never) | undefined;
      return answer === undefined ? ({} as never) : answer(input);
    },
    async () => {},
  );
  let count = 0;
  const world: PortWorld = {
    port,
    backend: "tablekeep",
    tables: { simple: "t-simple", composite: "t-composite", numeric: "t-n", binary: "t-b", indexed: "t-i" },
    unique: () => `unique-${++count}`,
    async eventually(what, done) {
      for (let round = 0; round < 3; round++) if (await done()) return;
      throw new Error(`never: ${what}`);
    },
  };
  const [only] = cases({ source: "none", table: "simple" }, [{ name: "a row", ...row }]);
  await only?.run(world);
  return sent;
}

const get = { getItem: { Key: { pk } } };

describe("a row", () => {
  it("replaces the names in its strings, in keys and values alike", async () => {
    const row = { batchGetItem: { RequestItems: { $composite: { Keys: [{ pk: s("$one-a"), sk: pk }] } } } };
    expect(await run(row, {})).toEqual([
      [
        "BatchGetItem",
        { RequestItems: { "t-composite": { Keys: [{ pk: s("unique-1-a"), sk: s("unique-2") }] } } },
      ],
    ]);
  });

  it("writes the items before, sends its request and reads the items afterwards", async () => {
    const item = { pk, a: s("x") };
    const row = { given: { simple: [item] }, deleteItem: { Key: { pk } }, after: { simple: [] } };
    const sent = await run(row, {});
    expect(sent.map(([operation]) => operation)).toEqual(["PutItem", "DeleteItem", "GetItem"]);
    await expect(run(row, { GetItem: () => ({ Item: { pk: s("unique-1") } }) })).rejects.toThrow();
  });

  it("compares the whole output", async () => {
    const answers: Answers = { GetItem: () => ({ Item: { pk: s("unique-1") }, ConsumedCapacity: {} }) };
    await expect(run({ ...get, returns: { Item: { pk } } }, answers)).rejects.toThrow();
    await run({ ...get, shows: { Item: { pk }, "Item.pk.S": /^unique/ } }, answers);
    await expect(run({ ...get, shows: { ConsumedCapacity: undefined } }, answers)).rejects.toThrow();
  });

  it("goes through lists by *, in order by default", async () => {
    const answers: Answers = { Scan: () => ({ Items: [{ pk: s("b") }, { pk: s("a") }] }) };
    const shows = { "Items.*.pk.S": ["a", "b"] };
    await run({ scan: {}, inAnyOrder: true, shows }, answers);
    await expect(run({ scan: {}, shows }, answers)).rejects.toThrow();
  });

  it("expects a rejection by exception and message", async () => {
    const reject = () => {
      const serviceMessage = "The conditional request failed";
      throw new DynamoError({ exception: "ConditionalCheckFailedException", serviceMessage });
    };
    const answers: Answers = { GetItem: reject };
    await run({ ...get, rejected: "ConditionalCheckFailedException: The conditional" }, answers);
    await expect(run({ ...get, rejected: "" }, answers)).rejects.toThrow();
    await expect(run({ ...get, rejected: "ConditionalCheckFailedException: no" }, answers)).rejects.toThrow();
    await expect(run({ ...get, rejected: "" }, {})).rejects.toThrow("was accepted");
  });

  it("reads all pages", async () => {
    const answers: Answers = {
      Scan: ({ ExclusiveStartKey }) =>
        ExclusiveStartKey === undefined
          ? { Items: [{ pk: s("a") }], LastEvaluatedKey: { pk: s("a") } }
          : { Items: [{ pk: s("b") }] },
    };
    await run({ scan: {}, allPages: true, shows: { "Pages.*.*.pk.S": [["a"], ["b"]] } }, answers);
  });

  it("repeats a request until the output is as expected", async () => {
    let round = 0;
    const answers: Answers = { Scan: () => ({ Count: ++round }) };
    expect(await run({ scan: {}, eventually: true, shows: { Count: 2 } }, answers)).toHaveLength(2);
    await expect(run({ scan: {}, eventually: true, shows: { Count: 1 } }, answers)).rejects.toThrow();
  });

  it("needs exactly one request", async () => {
    await expect(run({}, {})).rejects.toThrow("one request");
    await expect(run({ ...get, scan: {} }, {})).rejects.toThrow("one request");
  });
});

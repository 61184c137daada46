import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, type Item, type TransactWriteItem, wrapPort } from "@tablekeep/core";
import type { JournalOptions } from "@tablekeep/journal";
import { describe, expect, test } from "vitest";
import { defineEntityByCommand, openEntities } from "../src/index.ts";
import { engineForEntities, eventsOf, storesOn, withWriters } from "./entity-world.ts";

interface Take {
  readonly name: string;
  readonly items?: readonly TransactWriteItem[];
}

/** A unique name: its row must not exist. */
const claim = (name: string): TransactWriteItem => ({
  Put: {
    TableName: "names",
    Item: { name: { S: name } },
    ConditionExpression: "attribute_not_exists(#name)",
    ExpressionAttributeNames: { "#name": "name" },
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  },
});

/** Counts on one row, without a condition. */
const count = (name: string): TransactWriteItem => ({
  Update: {
    TableName: "names",
    Key: { name: { S: name } },
    UpdateExpression: "ADD #count :one",
    ExpressionAttributeNames: { "#count": "count" },
    ExpressionAttributeValues: { ":one": { N: "1" } },
  },
});

/** Takes names, each with the items of the command. */
const user = defineEntityByCommand({
  type: "user",
  initial: (): readonly string[] => [],
  decide: {
    take: ({ name, items }: Take, names, { commandId }) => ({
      events: { type: "taken", name },
      reply: [...names, name],
      alsoWrite: items ?? [claim(name)],
      metadata: { by: "decide", ...(commandId !== undefined && { commandId }) },
    }),
    names: (_command, names) => ({ reply: names }),
  },
  evolve: (names: readonly string[], event: { type: "taken"; name: string }) => [...names, event.name],
});

const take = (name: string, items?: readonly TransactWriteItem[]) =>
  ({ type: "take", name, ...(items && { items }) }) as const;

const rejectedItem = (name: string, index = 0) => ({
  code: "ENTITY_ALSO_WRITE_REJECTED",
  kind: "conflict",
  retryable: false,
  ambiguous: false,
  details: { entity: "user", id: "a", command: "take", index, item: { name: { S: name } } },
});

const journals: readonly JournalOptions[] = [
  { layout: "packed" },
  { layout: "packed", fencing: "strict" },
  { layout: "bucketed" },
  { layout: "bucketed", fencing: "strict" },
];

describe.each(journals)("items that are written with the events, %o", (journalOptions) => {
  const engine = async () => {
    const port = await engineForEntities(journalOptions);
    await ensureTable(port, { name: "names", partitionKey: { name: "name", type: "S" } });
    return port;
  };
  const open = async (port: DynamoPort, options: object = {}) => {
    const stores = await storesOn(port, journalOptions);
    const host = await openEntities({ ...stores, entities: [user], ...options });
    return { host, users: host.of(user), journal: stores.journal };
  };
  const rows = async (port: DynamoPort): Promise<Item[]> =>
    (await port.scan({ TableName: "names", ConsistentRead: true })).Items ?? [];
  const namesIn = async (port: DynamoPort) => (await rows(port)).map(({ name }) => name?.S).sort();

  test("are stored together with them, and the metadata of decision and caller is merged", async () => {
    const port = await engine();
    const { users, journal } = await open(port);
    const options = { commandId: "1", metadata: { by: "ask", user: "ann" } };
    expect(await users.ask("a", take("x"), options)).toEqual(["x"]);
    expect(await namesIn(port)).toEqual(["x"]);
    const [event] = await eventsOf(journal, "user|a");
    expect(event?.metadata).toEqual({ by: "decide", user: "ann", commandId: "1" });
  });

  test("with a failed condition fail that command only, in a group too", async () => {
    const port = await engine();
    const { users, journal } = await open(port);
    await users.ask("b", take("c"));
    const asked = ["a", "b", "c", "d", "e"].map((name) => users.ask("a", take(name)));
    const answers = await Promise.allSettled(asked);
    expect(answers.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(answers[2]).toMatchObject({ reason: rejectedItem("c") });
    expect(await users.ask("a", { type: "names" })).toEqual(["a", "b", "d", "e"]);
    expect(await namesIn(port)).toEqual(["a", "b", "c", "d", "e"]);
    expect(await eventsOf(journal, "user|a")).toHaveLength(4);
  });

  test("report which of several items failed, first in its group or alone", async () => {
    const port = await engine();
    const { users } = await open(port);
    await users.ask("b", take("x"));
    const two = take("y", [claim("y"), claim("x")]);
    await expect(users.ask("a", two)).rejects.toMatchObject(rejectedItem("x", 1));
    const [first, second] = await Promise.allSettled([users.ask("a", two), users.ask("a", take("z"))]);
    expect(first).toMatchObject({ reason: rejectedItem("x", 1) });
    expect(second).toMatchObject({ value: ["z"] });
    expect(await namesIn(port)).toEqual(["x", "z"]);
  });

  test("on the same key are written one after the other", async () => {
    const port = await engine();
    const { users } = await open(port);
    const counted = ["p", "q", "r"].map((name) => users.ask("b", take(name, [count("total")])));
    expect(await Promise.all(counted)).toEqual([["p"], ["p", "q"], ["p", "q", "r"]]);
    expect((await rows(port)).map(({ count: each }) => each?.N)).toEqual(["3"]);
    const [won, lost] = await Promise.allSettled([users.ask("a", take("x")), users.ask("a", take("x"))]);
    expect(won).toMatchObject({ value: ["x"] });
    expect(lost).toMatchObject({ reason: rejectedItem("x") });
  });

  test("are written once for a repeated command id, on two hosts at once too", async () => {
    const port = await engine();
    const [one, two] = [await open(port), await open(port)];
    const ask = (users: typeof one.users, name: string) => users.ask("a", take(name), { commandId: name });
    const replies = await Promise.all([
      ask(one.users, "x"),
      ask(two.users, "x"),
      ask(one.users, "x"),
      ask(two.users, "y"),
      ask(one.users, "y"),
    ]);
    expect(new Set(replies.map((reply) => reply.length)).size).toBe(2);
    expect(await ask(one.users, "x")).toEqual(replies[0]);
    expect(await eventsOf(one.journal, "user|a")).toHaveLength(2);
    expect(await namesIn(port)).toEqual(["x", "y"]);
  });

  test("of a write whose answer is lost are written once, and the command gets its reply", async () => {
    const port = await engine();
    let lost = 0;
    const losing = wrapPort(port, async (operation, input, call, next) => {
      const answer = await next(operation, input, call);
      if (operation === "TransactWriteItems" && lost++ % 2 === 0) throw new Error("connection reset");
      return answer;
    });
    const { users, journal } = await open(losing);
    expect(await users.ask("a", take("x"))).toEqual(["x"]);
    expect(await Promise.all([users.ask("a", take("y")), users.ask("a", take("z"))])).toEqual([
      ["x", "y"],
      ["x", "y", "z"],
    ]);
    expect(await eventsOf(journal, "user|a")).toHaveLength(3);
    expect(await namesIn(port)).toEqual(["x", "y", "z"]);
  });

  test("of a write with an unknown outcome are settled by its events", async () => {
    const port = await engine();
    const { journal } = await storesOn(port, journalOptions);
    let unknown = 0;
    const forgetful = withWriters(journal, (writer) =>
      Object.assign(Object.create(writer) as typeof writer, {
        async append(...args: Parameters<typeof writer.append>) {
          const outcome = await writer.append(...args);
          if (unknown++ > 0 || outcome.kind !== "ok") return outcome;
          return { kind: "unknown", error: new Error("no answer") };
        },
      }),
    );
    const { users } = await open(port, { journal: forgetful });
    expect(await users.ask("a", take("x"))).toEqual(["x"]);
    expect(await users.ask("a", take("y"))).toEqual(["x", "y"]);
    expect(await namesIn(port)).toEqual(["x", "y"]);
  });

  test("that do not fit into a transaction are reported, and others are stored", async () => {
    const port = await engine();
    const { users } = await open(port);
    const many = Array.from({ length: 100 }, (_unused, at) => claim(`n${at}`));
    const large = Array.from({ length: 12 }, (_unused, at) => ({
      Put: { TableName: "names", Item: { name: { S: `l${at}` }, text: { S: "x".repeat(390_000) } } },
    }));
    for (const items of [many, large]) {
      const [before, wrong, after] = await Promise.allSettled([
        users.ask("a", take("before", [])),
        users.ask("a", take("wrong", items)),
        users.ask("a", take("after", [])),
      ]);
      expect([before.status, after.status]).toEqual(["fulfilled", "fulfilled"]);
      expect(wrong).toMatchObject({
        reason: { code: "ENTITY_DECISION_TOO_LARGE", kind: "limit", details: { maximum: 100 } },
      });
    }
    expect(await namesIn(port)).toEqual([]);
  });

  test("that DynamoDB rejects are the decision's fault, and others of the group are stored", async () => {
    const port = await engine();
    const { users } = await open(port);
    const wrongKey = { Put: { TableName: "names", Item: { nome: { S: "x" } } } };
    const twice = [claim("x"), claim("x")];
    const missing = { Put: { TableName: "missing", Item: { name: { S: "x" } } } };
    const cases = [
      [[wrongKey], { code: "ENTITY_DECISION_INVALID", kind: "internal", retryable: false }],
      [twice, { code: "ENTITY_DECISION_INVALID", kind: "internal", retryable: false }],
      [[missing], { code: "ENTITY_NOT_STORED", retryable: false }],
    ] as const;
    for (const [at, [items, reason]] of cases.entries()) {
      const [before, wrong, after] = await Promise.allSettled([
        users.ask("a", take(`before ${at}`)),
        users.ask("a", take("wrong", items)),
        users.ask("a", take(`after ${at}`)),
      ]);
      expect(wrong).toMatchObject({ reason });
      expect([before.status, after.status]).toEqual(["fulfilled", "fulfilled"]);
    }
    expect(await rows(port)).toHaveLength(6);
  });
});

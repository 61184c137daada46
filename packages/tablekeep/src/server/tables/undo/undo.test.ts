/** Undo of imports, statements, settings and deletions over HTTP, while an AWS SDK writes to the same tables. */
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTagsOfResourceCommand,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { type Engine, openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tempFolder } from "../../../../test/temp-folder.ts";
import { type RunningServer, startServer } from "../../start-server.ts";

const off = { mail: false, smtp: false, shadows: false, mqtt: false, journals: [], httpPort: 0 } as const;
let lastId = 0;
const newId = () => `change-${String(++lastId).padStart(8, "0")}`;

interface Answered {
  readonly error?: string;
  readonly undone?: number;
  readonly kept?: number;
  readonly left?: number;
  readonly undo?: true | string;
}

async function callOn(
  server: RunningServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<[number, Answered]> {
  const home = server.listeners.find(({ name }) => name === "http")?.url;
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(`${home}api/v3/${path}`, {
    method,
    ...(text !== undefined && { body: text }),
  });
  return [answer.status, (await answer.json()) as Answered];
}

describe.each(["memory", "folder"])("undo in a %s", (place) => {
  let server: RunningServer;
  let other: DynamoDBClient;
  beforeAll(async () => {
    const where = place === "memory" ? { memory: true } : { dataFolder: tempFolder() };
    server = await startServer({ ...off, ...where, dynamodbPort: 0 });
    other = new DynamoDBClient({
      endpoint: server.listeners.find(({ name }) => name === "dynamodb")?.url ?? "",
      region: "us-east-1",
      credentials: { accessKeyId: "any", secretAccessKey: "any" },
    });
  });
  afterAll(async () => {
    other?.destroy();
    await server?.stop();
  });

  const call = (method: string, path: string, body?: unknown) => callOn(server, method, path, body);
  const undo = (id: string) => call("POST", `undo/${id}`);
  const lines = (items: readonly object[]) => items.map((Item) => `${JSON.stringify({ Item })}\n`).join("");
  const load = (table: string, id: string, items: readonly object[]) =>
    call("POST", `tables/${table}/import?undo=${id}`, lines(items));
  const put = (TableName: string, Item: Record<string, { S: string } | { N: string }>) =>
    other.send(new PutItemCommand({ TableName, Item }));
  const stored = async (TableName: string) => {
    const { Items = [] } = await other.send(new ScanCommand({ TableName, ConsistentRead: true }));
    return Object.fromEntries(Items.map(({ id, ...rest }) => [id?.S ?? id?.N, rest]));
  };
  const makeTable = async (name: string) => {
    const [status] = await call("POST", "tables", { name, partitionKey: { name: "id" } });
    expect(status).toBe(200);
  };

  test("restores what an import replaced, and removes what it added", async () => {
    await makeTable("fruit");
    expect((await call("GET", "tables/fruit"))[1].undo).toBe(true);
    await put("fruit", { id: { S: "pear" }, color: { S: "green" }, weight: { N: "5" } });
    const id = newId();
    const pear = { id: { S: "pear" }, color: { S: "red" } };
    const data = { id: { S: "bytes" }, data: { B: "AAE=" }, set: { NS: ["2.0", "1"] } };
    expect(await load("fruit", id, [pear, data])).toEqual([200, { items: 2, undo: id }]);
    expect(await load("fruit", id, [{ ...pear, color: { S: "blue" } }])).toEqual([
      200,
      { items: 1, undo: id },
    ]);
    expect(await undo(id)).toEqual([200, { undone: 3, kept: 0, left: 0 }]);
    expect(await stored("fruit")).toEqual({ pear: { color: { S: "green" }, weight: { N: "5" } } });
    expect((await undo(id))[0]).toBe(404);
  });

  test("undoes an import with the same key several times, and with number keys", async () => {
    const key = { name: "id", type: "N" };
    await call("POST", "tables", { name: "numbers", partitionKey: key });
    const id = newId();
    const items = ["1", "1.0", "2", "1"].map((N, at) => ({ id: { N }, at: { N: `${at}` } }));
    await load("numbers", id, items);
    expect(await stored("numbers")).toEqual({ 1: { at: { N: "3" } }, 2: { at: { N: "2" } } });
    expect(await undo(id)).toEqual([200, { undone: 4, kept: 0, left: 0 }]);
    expect(await stored("numbers")).toEqual({});
  });

  test("undoes a large import with several requests", async () => {
    await makeTable("large");
    const id = newId();
    const items = Array.from({ length: 1_500 }, (_unused, at) => ({ id: { S: `${at}` } }));
    await load("large", id, items);
    const [, first] = await undo(id);
    expect((first.undone ?? 0) + (first.left ?? 0)).toBe(1_500);
    expect(first.left).toBeGreaterThan(0);
    expect((await undo(id))[1]).toMatchObject({ kept: 0, left: 0 });
    expect(await stored("large")).toEqual({});
  });

  test("keeps what another client wrote since an import, and says how many items", async () => {
    await makeTable("shared");
    await put("shared", { id: { S: "a" }, by: { S: "before" } });
    await put("shared", { id: { S: "b" }, by: { S: "before" } });
    const id = newId();
    const items = ["a", "b", "c", "d"].map((S) => ({ id: { S }, by: { S: "import" } }));
    await load("shared", id, items);
    await put("shared", { id: { S: "a" }, by: { S: "other" } });
    await other.send(
      new UpdateItemCommand({
        TableName: "shared",
        Key: { id: { S: "c" } },
        UpdateExpression: "SET note = :note",
        ExpressionAttributeValues: { ":note": { S: "of the other" } },
      }),
    );
    await put("shared", { id: { S: "e" }, by: { S: "other" } });
    expect(await undo(id)).toEqual([200, { undone: 2, kept: 2, left: 0 }]);
    expect(await stored("shared")).toEqual({
      a: { by: { S: "other" } },
      b: { by: { S: "before" } },
      c: { by: { S: "import" }, note: { S: "of the other" } },
      e: { by: { S: "other" } },
    });
  });

  test.each([
    ["INSERT INTO words VALUE {'id': ?, 'n': 1}", [{ S: "new" }]],
    ["UPDATE words SET n = 2 WHERE id = ?", [{ S: "old" }]],
    ["UPDATE words SET n = 2 WHERE id = ? RETURNING MODIFIED NEW *", [{ S: "old" }]],
    ["UPDATE words REMOVE bytes WHERE id = ? AND bytes = ?", [{ S: "old" }, { B: "AAE=" }]],
    ["DELETE FROM words WHERE id = ?", [{ S: "old" }]],
  ])("undoes %s", async (statement, parameters) => {
    await call("POST", "tables", { name: "words", partitionKey: { name: "id" } });
    const old = { id: { S: "old" }, n: { N: "1" }, bytes: { B: new Uint8Array([0, 1]) } };
    await other.send(new PutItemCommand({ TableName: "words", Item: old }));
    const before = await stored("words");
    const id = newId();
    const [status, answer] = await call("POST", "partiql", { statement, parameters, undo: id });
    expect([status, answer.undo]).toEqual([200, id]);
    expect(await stored("words")).not.toEqual(before);
    expect(await undo(id)).toEqual([200, { undone: 1, kept: 0, left: 0 }]);
    expect(await stored("words")).toEqual(before);
  });

  test("keeps what another client wrote since a statement, and nothing of one that changed nothing", async () => {
    await makeTable("terms");
    await put("terms", { id: { S: "a" }, n: { N: "1" } });
    const id = newId();
    const run = (statement: string, at: string) => call("POST", "partiql", { statement, undo: at });
    expect((await run("UPDATE terms SET n = 2 WHERE id = 'a'", id))[0]).toBe(200);
    await put("terms", { id: { S: "a" }, n: { N: "3" } });
    expect(await undo(id)).toEqual([200, { undone: 0, kept: 1, left: 0 }]);
    expect(await stored("terms")).toEqual({ a: { n: { N: "3" } } });
    const none = newId();
    expect((await run("UPDATE terms SET n = 3 WHERE id = 'a'", none))[1]).not.toHaveProperty("undo");
    expect((await run("DELETE FROM terms WHERE id = 'missing'", none))[1]).not.toHaveProperty("undo");
    expect((await undo(none))[0]).toBe(404);
  });

  test("restores a deleted table with its items, indexes, stream, tags and time to live", async () => {
    await other.send(
      new CreateTableCommand({
        TableName: "orders",
        BillingMode: "PROVISIONED",
        ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
        KeySchema: [
          { AttributeName: "id", KeyType: "HASH" },
          { AttributeName: "nr", KeyType: "RANGE" },
        ],
        AttributeDefinitions: [
          { AttributeName: "id", AttributeType: "S" },
          { AttributeName: "nr", AttributeType: "N" },
          { AttributeName: "total", AttributeType: "N" },
        ],
        LocalSecondaryIndexes: [
          {
            IndexName: "by-total",
            KeySchema: [
              { AttributeName: "id", KeyType: "HASH" },
              { AttributeName: "total", KeyType: "RANGE" },
            ],
            Projection: { ProjectionType: "KEYS_ONLY" },
          },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: "totals",
            KeySchema: [{ AttributeName: "total", KeyType: "HASH" }],
            Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["note"] },
            ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 2 },
          },
        ],
        StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
        Tags: [{ Key: "team", Value: "shop" }],
      }),
    );
    await call("PATCH", "tables/orders", { timeToLive: "until" });
    for (const nr of ["1", "2"]) await put("orders", { id: { S: "a" }, nr: { N: nr }, total: { N: "5" } });
    const facts = async () => {
      const { Table } = await other.send(new DescribeTableCommand({ TableName: "orders" }));
      const { Tags } = await other.send(
        new ListTagsOfResourceCommand({ ResourceArn: Table?.TableArn ?? "" }),
      );
      const timeToLive = await other.send(new DescribeTimeToLiveCommand({ TableName: "orders" }));
      const { Items } = await other.send(new ScanCommand({ TableName: "orders", IndexName: "totals" }));
      const { CreationDateTime, LatestStreamArn, LatestStreamLabel, TableId, ...kept } = Table ?? {};
      expect(new Set([CreationDateTime, LatestStreamArn, LatestStreamLabel, TableId])).not.toContain(
        undefined,
      );
      const shown = [kept, Tags, timeToLive.TimeToLiveDescription?.AttributeName, Items];
      return JSON.parse(JSON.stringify(shown, (name, value) => (/DateTime$/.test(name) ? undefined : value)));
    };
    const before = await facts();
    const id = newId();
    expect((await call("DELETE", `tables/orders?undo=${id}`))[0]).toBe(200);
    expect((await call("GET", "tables/orders"))[0]).toBe(404);
    expect(await undo(id)).toEqual([200, { undone: 3, kept: 0, left: 0 }]);
    expect(await facts()).toEqual(before);
  });

  test("leaves a table as it is that another client created in place of the deleted one", async () => {
    await makeTable("again");
    await put("again", { id: { S: "a" }, by: { S: "before" } });
    const id = newId();
    expect((await call("DELETE", `tables/again?undo=${id}`))[0]).toBe(200);
    await makeTable("again");
    await put("again", { id: { S: "a" }, by: { S: "other" } });
    const [status, { error }] = await undo(id);
    expect(status).toBe(409);
    expect(error).toContain("has been created since");
    expect(await stored("again")).toEqual({ a: { by: { S: "other" } } });
    await call("DELETE", "tables/again");
    expect(await undo(id)).toEqual([200, { undone: 2, kept: 0, left: 0 }]);
    expect(await stored("again")).toEqual({ a: { by: { S: "before" } } });
  });

  test("restores items that another client wrote until the table was deleted", async () => {
    await makeTable("busy");
    let written = 0;
    const write = async (writer: number) => {
      for (let nr = 0; ; nr++) {
        try {
          await put("busy", { id: { S: `${writer}-${nr}` } });
          written++;
        } catch (error) {
          expect((error as Error).name).toBe("ResourceNotFoundException");
          return;
        }
      }
    };
    const writing = Promise.all([1, 2, 3, 4].map(write));
    while (written < 5) await other.send(new GetItemCommand({ TableName: "busy", Key: { id: { S: "-" } } }));
    const id = newId();
    expect((await call("DELETE", `tables/busy?undo=${id}`))[0]).toBe(200);
    await writing;
    expect(await undo(id)).toEqual([200, { undone: written + 1, kept: 0, left: 0 }]);
    expect(Object.keys(await stored("busy"))).toHaveLength(written);
  });

  test("undoes changes to indexes, the stream and the time to live, each unless it was changed since", async () => {
    await makeTable("settings");
    const change = async (body: object) => {
      const id = newId();
      expect((await call("PATCH", `tables/settings?undo=${id}`, body))[0]).toBe(200);
      return id;
    };
    const facts = async () => {
      const [, table] = (await call("GET", "tables/settings")) as [number, Record<string, unknown>];
      const [, { attribute }] = (await call("GET", "tables/settings/time-to-live")) as [
        number,
        Record<string, unknown>,
      ];
      return { indexes: table["indexes"], stream: table["stream"], attribute };
    };
    const none = { indexes: [], stream: undefined, attribute: null };
    const createIndex = { name: "by-color", partitionKey: { name: "color" }, projection: ["weight"] };
    const ids = [
      await change({ createIndex }),
      await change({ stream: "KEYS_ONLY" }),
      await change({ timeToLive: "until" }),
    ];
    const set = await facts();
    const disabled = [
      await change({ deleteIndex: "by-color" }),
      await change({ stream: null }),
      await change({ timeToLive: null }),
    ];
    expect(await facts()).toEqual(none);
    for (const id of disabled) expect(await undo(id)).toEqual([200, { undone: 1, kept: 0, left: 0 }]);
    expect(await facts()).toEqual(set);
    for (const id of ids) expect((await undo(id))[0]).toBe(200);
    expect(await facts()).toEqual(none);
    const late = await change({ timeToLive: "until" });
    await call("PATCH", "tables/settings", { timeToLive: null });
    expect((await undo(late))[0]).toBe(409);
    const lateIndex = await change({ createIndex });
    await call("PATCH", "tables/settings", { deleteIndex: "by-color" });
    expect((await undo(lateIndex))[0]).toBe(409);
  });

  test("rejects an id that is invalid or belongs to a change of another table", async () => {
    await makeTable("one");
    await makeTable("two");
    expect((await load("one", "x", []))[0]).toBe(400);
    const id = newId();
    await load("one", id, [{ id: { S: "a" } }]);
    expect((await load("two", id, [{ id: { S: "a" } }]))[0]).toBe(409);
    expect(await stored("two")).toEqual({});
  });
});

describe("on another DynamoDB", () => {
  let engine: Engine;
  let server: RunningServer;
  beforeAll(async () => {
    engine = await openEngine({ storage: { kind: "memory" } });
    server = await startServer({ ...off, port: engine, dynamodb: false });
    await callOn(server, "POST", "tables", { name: "far", partitionKey: { name: "id" } });
  });
  afterAll(async () => {
    await server?.stop();
    await engine?.close();
  });

  test("says that nothing can be undone, and changes nothing if an undo is requested", async () => {
    expect((await callOn(server, "GET", "tables/far"))[1].undo).toBeUndefined();
    const statement = "INSERT INTO far VALUE {'id': 'a'}";
    const answers = [
      await callOn(server, "POST", `tables/far/import?undo=${newId()}`, '{"Item":{"id":{"S":"a"}}}'),
      await callOn(server, "POST", "partiql", { statement, undo: newId() }),
      await callOn(server, "PATCH", `tables/far?undo=${newId()}`, { timeToLive: "until" }),
      await callOn(server, "DELETE", `tables/far?undo=${newId()}`),
    ];
    expect(answers.map(([status]) => status)).toEqual([409, 409, 409, 409]);
    expect((await engine.scan({ TableName: "far" })).Items).toEqual([]);
  });
});

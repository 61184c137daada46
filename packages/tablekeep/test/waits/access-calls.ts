import { truncateSync } from "node:fs";
import { join } from "node:path";
import {
  batchGet,
  batchWrite,
  connect,
  ensureTable,
  httpPort,
  sdkPort,
  settleDelete,
  settlePut,
  settleUpdate,
  transactGet,
  transactWrite,
  waitWithin,
} from "@tablekeep/client";
import { systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import {
  codeOf,
  credentials,
  engine,
  engineWithThings,
  faulty,
  inFolder,
  later,
  thing,
  thingKey,
  things,
  unreachable,
  type WaitingCall,
} from "./program.ts";

export const clientCalls: Record<string, WaitingCall> = {
  "a request of an HTTP port that is retried": {
    waitsIn: ["client/src/retry/with-retries.ts"],
    run: () => codeOf(httpPort({ ...unreachable, credentials, maxAttempts: 3 }).listTables({})),
    result: "CLIENT_UNREACHABLE",
  },
  "a request of an SDK port that is retried": {
    waitsIn: ["client/src/retry/with-retries.ts", "client/src/sdk/call-sdk.ts"],
    run: async () => {
      const { DynamoDBClient } = await import("@aws-sdk/client-dynamodb");
      const client = new DynamoDBClient({ ...unreachable, credentials, maxAttempts: 1 });
      return codeOf(sdkPort(client, { maxAttempts: 3 }).updateItem(thingKey));
    },
    result: "CLIENT_UNREACHABLE",
  },
  "a request over HTTP": {
    waitsIn: ["client/src/http/exchange.ts"],
    run: async () => {
      const { startTestServer } = await import("../../src/testing/index.ts");
      await using server = await startTestServer();
      const port = connect({ endpoint: server.dynamodbUrl, region: "us-east-1", credentials });
      const { TableNames = [] } = await port.listTables({});
      await port.close();
      return TableNames.length > 0;
    },
    result: true,
  },
  "a request whose credentials never come": {
    waitsIn: ["client/src/http/http-call.ts"],
    run: () => {
      const never = () => new Promise<never>(() => {});
      // Slow is fine: the credentials never come.
      return codeOf(httpPort({ ...unreachable, credentials: never, deadlineMs: 200 }).listTables({}));
    },
    result: "CLIENT_DEADLINE_EXCEEDED",
  },
  "ensureTable on a table that is being created": {
    waitsIn: ["client/src/tables/table-run.ts"],
    run: async () => (await ensureTable(await engine({ tableChangeMs: 200 }), things)).created,
    result: true,
  },
  "settlePut that reads back a write whose response was lost": {
    waitsIn: ["client/src/write/settle-write.ts", "client/src/retry/deadline.ts"],
    run: async () => {
      const port = faulty(await engineWithThings(), "kind:lost-before-apply,op:PutItem,times:2");
      return (await settlePut(port, thing, { keyNames: ["id"], writeIdAttribute: "w" })).kind;
    },
    result: "unknown",
  },
  "settleUpdate that reads back a write whose response was lost": {
    waitsIn: ["client/src/write/settle-write.ts", "client/src/retry/deadline.ts"],
    run: async () => {
      const port = faulty(await engineWithThings(), "kind:lost-before-apply,op:UpdateItem,times:2");
      const update = { UpdateExpression: "SET n = :n", ExpressionAttributeValues: { ":n": { N: "1" } } };
      return (await settleUpdate(port, { ...thingKey, ...update }, { writeIdAttribute: "w" })).kind;
    },
    result: "unknown",
  },
  "settleDelete that reads back a write whose response was lost": {
    waitsIn: ["client/src/write/settle-write.ts", "client/src/retry/deadline.ts"],
    run: async () => {
      const port = faulty(await engineWithThings(), "kind:lost-before-apply,op:DeleteItem,times:2");
      return (await settleDelete(port, thingKey)).kind;
    },
    result: "unknown",
  },
  "transactWrite of an item that another transaction holds": {
    waitsIn: ["client/src/retry/operation.ts"],
    run: async () => {
      const fault = "kind:transaction-conflict,op:TransactWriteItems,times:2";
      return (await transactWrite(faulty(await engineWithThings(), fault), [{ Put: thing }])).kind;
    },
    result: "ok",
  },
  "transactGet of an item that a transaction holds": {
    waitsIn: ["client/src/retry/operation.ts"],
    run: async () => {
      const port = faulty(await engineWithThings(), "kind:transaction-conflict,times:2");
      return (await transactGet(port, [thingKey])).length;
    },
    result: 1,
  },
  "batchGet with unprocessed keys": {
    waitsIn: ["client/src/retry/operation.ts"],
    run: async () => {
      const port = await engineWithThings();
      await port.putItem(thing);
      const failing = faulty(port, "kind:unprocessed,op:BatchGetItem,times:2");
      return batchGet(failing, [{ table: "things", key: thingKey.Key }]);
    },
    result: [thing.Item],
  },
  "batchWrite with unprocessed items": {
    waitsIn: ["client/src/retry/operation.ts"],
    run: async () => {
      const port = faulty(await engineWithThings(), "kind:unprocessed,times:2");
      await batchWrite(port, [{ table: "things", put: thing.Item }], { keyNames: { things: ["id"] } });
      return (await port.getItem(thingKey)).Item;
    },
    result: thing.Item,
  },
  "waitWithin a deadline": {
    waitsIn: ["client/src/retry/deadline.ts", "core/src/with-deadline.ts"],
    // Slow is fine: the promise never settles.
    run: () => codeOf(waitWithin({ clock: systemClock, deadlineMs: 200 }, new Promise(() => {}))),
    result: "CLIENT_DEADLINE_EXCEEDED",
  },
};

export const engineCalls: Record<string, WaitingCall> = {
  "a transaction of the engine that takes time": {
    waitsIn: ["engine/src/simulation/simulated-service.ts"],
    run: async () => {
      const port = await engine({ transactionMs: 200 });
      await ensureTable(port, things);
      await port.transactWriteItems({ TransactItems: [{ Put: thing }] });
      return (await port.getItem(thingKey)).Item;
    },
    result: thing.Item,
  },
  "a call of the engine with a deadline": {
    waitsIn: ["engine/src/request/call-deadline.ts"],
    run: async () => {
      const port = await engine({ transactionMs: 60_000 });
      await ensureTable(port, things);
      // Slow is fine: the transaction takes a minute.
      const call = port.transactWriteItems({ TransactItems: [{ Put: thing }] }, { deadlineMs: 200 });
      const code = await codeOf(call);
      // The transaction continues, which keeps this process alive.
      later(0, () => process.exit(0));
      return code;
    },
    result: "ENGINE_DEADLINE_EXCEEDED",
  },
  "openEngine on a folder that another process is making": {
    waitsIn: ["engine/src/storage/database-file.ts"],
    run: () =>
      inFolder(async (path) => {
        const open = () => openEngine({ storage: { kind: "folder", path } });
        await (await open()).close();
        truncateSync(join(path, "data.mdb"), 4096);
        const opened = await open();
        const { TableNames } = await opened.listTables({});
        await opened.close();
        return TableNames;
      }),
    result: [],
  },
};

export const testkitCalls: Record<string, WaitingCall> = {
  "a request that a fault hangs": {
    waitsIn: ["testkit/src/faults/inject-connection-loss.ts"],
    // Slow is fine: the request is never answered.
    run: async () => codeOf(faulty(await engine(), "kind:hang").listTables({}, { deadlineMs: 200 })),
    result: "CLIENT_DEADLINE_EXCEEDED",
  },
  "a request that a fault delays, after its caller gave up": {
    waitsIn: ["testkit/src/faults/inject-connection-loss.ts"],
    run: async () => {
      const port = faulty(await engineWithThings(), "kind:delay,ms:300,op:PutItem");
      // Slow is fine: both timers start together, and fire in the order of their times, however late.
      const code = await codeOf(port.putItem(thing, { deadlineMs: 100 }));
      await port.settled();
      return [code, (await port.getItem(thingKey)).Item];
    },
    result: ["CLIENT_DEADLINE_EXCEEDED", thing.Item],
  },
};

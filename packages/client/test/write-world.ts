import {
  DynamoError,
  type DynamoPort,
  type Item,
  type Key,
  type OperationName,
  type Outcome,
  wrapPort,
} from "@tablekeep/core";
import { afterAll, beforeAll } from "vitest";
import { createTestTable } from "./local-table.ts";
import { openPort } from "./open-port.ts";

/** Places where an attempt can be lost, and whether the write is there then. */
export const losses = [
  ["lost-before-apply", false],
  ["lost-after-apply", true],
  ["error-before-apply", false],
  ["error-after-apply", true],
] as const;

/** A table on DynamoDB Local, for tests of single writes. */
export interface WriteWorld {
  readonly port: DynamoPort;
  readonly table: string;
  /** A key that no other test uses. */
  newKey(): Key;
  read(key: Key): Promise<Item | undefined>;
  put(key: Key, more: Item): Promise<unknown>;
}

/** Opens the world of the tests around it, and closes it after them. */
export function writeWorld(endpoint: string): WriteWorld {
  let port: DynamoPort | undefined;
  let table = "";
  let fresh = 0;
  const opened = () => {
    if (port === undefined) throw new Error("used outside a test");
    return port;
  };
  beforeAll(async () => {
    port = openPort(endpoint);
    table = await createTestTable(port);
  });
  afterAll(async () => {
    await opened().deleteTable({ TableName: table });
    await opened().close();
  });
  return {
    get port() {
      return opened();
    },
    get table() {
      return table;
    },
    newKey: () => ({ pk: { S: `p${fresh++}` }, sk: { N: "1" } }),
    read: async (key) => (await opened().getItem({ TableName: table, Key: key, ConsistentRead: true })).Item,
    put: (key, more) => opened().putItem({ TableName: table, Item: { ...key, ...more } }),
  };
}

/** The write id of a write that went through. */
export function idOf(outcome: Outcome<{ writeId?: string }>): string | undefined {
  return outcome.kind === "ok" ? outcome.value.writeId : undefined;
}

/** A port whose retry met its own success: the AWS SDK reports that as a plain conflict. */
export function retryingPort(port: DynamoPort, operation: OperationName): DynamoPort {
  return wrapPort(port, async (name, input, options, next) => {
    if (name !== operation) return next(name, input, options);
    await next(name, input, options).catch(() => undefined);
    return next(name, input, options).catch((error: unknown) => {
      if (!(error instanceof DynamoError)) throw error;
      throw new DynamoError({ ...error.details, attempts: 2, ambiguous: true });
    });
  });
}

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  buildPort,
  type CreateTableInput,
  type Dispatch,
  type DynamoPort,
  type Item,
  isDynamoError,
  type TableDescription,
} from "@tablekeep/core";
import { answerObject } from "../src/answer/answer.ts";
import type { Database } from "../src/database/database.ts";
import type { EngineOptions } from "../src/engine-options.ts";
import { closeDatabase, openDatabase } from "../src/open-database.ts";
import { answerRequest } from "../src/request/answer-request.ts";
import { MemoryStorage } from "../src/storage/memory-storage.ts";
import { type KeyRange, prefixEnd, type Storage, StorageFault } from "../src/storage/storage.ts";

/** A key schema of one or two attributes. */
export function keySchema(hash: string, range?: string): NonNullable<CreateTableInput["KeySchema"]> {
  const schema: NonNullable<CreateTableInput["KeySchema"]> = [{ AttributeName: hash, KeyType: "HASH" }];
  if (range !== undefined) schema.push({ AttributeName: range, KeyType: "RANGE" });
  return schema;
}

/** Definitions of attributes of type S. */
export function define(...names: string[]): NonNullable<CreateTableInput["AttributeDefinitions"]> {
  return names.map((AttributeName) => ({ AttributeName, AttributeType: "S" }));
}

/** A table `things` with partition key `pk` (S), on-demand. */
export function tableInput(over: Partial<CreateTableInput> = {}): CreateTableInput {
  return {
    TableName: "things",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: define("pk"),
    KeySchema: keySchema("pk"),
    ...over,
  };
}

/** A database, and a plain port to it. */
export interface OpenedDatabase {
  readonly database: Database;
  readonly port: DynamoPort;
}

/** Opens the database in a storage. */
export function openTestDatabase(
  storage: Storage,
  options: Omit<EngineOptions, "storage"> = {},
): OpenedDatabase {
  const database = openDatabase(storage, options);
  const dispatch: Dispatch = async (operation, input) =>
    answerObject(await answerRequest(database, operation, input)) as never;
  database.background.start();
  return { database, port: buildPort(dispatch, () => closeDatabase(database)) };
}

/**
 * A storage that outlives its database, and whose commits can be made to fail: a process that dies, a disk that is
 * full.
 */
export class PersistentTestStorage implements Storage {
  readonly #inner: Storage;
  /** How many commits still succeed. */
  commitsLeft: number = Number.POSITIVE_INFINITY;
  /** Entries in each commit. */
  readonly commitSizes: number[] = [];

  constructor(inner: Storage = new MemoryStorage()) {
    this.#inner = inner;
  }

  get(key: string): string | undefined {
    return this.#inner.get(key);
  }

  scan(range: KeyRange, visit: (key: string, value: string) => boolean): void {
    this.#inner.scan(range, visit);
  }

  commit(writes: ReadonlyMap<string, string | undefined>): void {
    if (this.commitsLeft <= 0) throw new StorageFault("full", "no space in this test");
    this.commitsLeft--;
    this.commitSizes.push(writes.size);
    this.#inner.commit(writes);
  }

  checkpoint(): object {
    return this.#inner.checkpoint();
  }

  restore(checkpoint: object): void {
    this.#inner.restore(checkpoint);
  }

  async close(): Promise<void> {}
}

/** The description of the table `things`. */
export async function describeThings(port: DynamoPort, TableName = "things"): Promise<TableDescription> {
  return (await port.describeTable({ TableName })).Table ?? {};
}

/** Polls until `done` returns true. */
export async function until(what: string, done: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 2000; round++) {
    if (await done()) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`not so: ${what}`);
}

/** Returns how many entries of a storage have this key prefix. */
export function countEntries(storage: Storage, prefix: string): number {
  let count = 0;
  storage.scan({ start: prefix, end: prefixEnd(prefix) }, () => {
    count++;
    return true;
  });
  return count;
}

/** Runs `work` with a folder that is removed afterwards. */
export async function withFolder(work: (path: string) => Promise<void>): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), "tablekeep-engine-"));
  try {
    await work(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** Puts items, 25 per call. */
export async function putAll(port: DynamoPort, items: readonly Item[], table = "things"): Promise<void> {
  for (let from = 0; from < items.length; from += 25) {
    const requests = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    await port.batchWriteItem({ RequestItems: { [table]: requests } });
  }
}

/** Returns every item of a table or index. */
export async function scanAll(port: DynamoPort, IndexName?: string, TableName = "things"): Promise<Item[]> {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const page = await port.scan({ TableName, IndexName, ExclusiveStartKey: from });
    items.push(...(page.Items ?? []));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return items;
}

/** Returns DynamoDB's exception and message of a call that must be rejected. */
export async function rejectionOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "accepted",
    (error: unknown) => {
      if (!isDynamoError(error)) throw error;
      return `${error.details.exception}: ${error.details.serviceMessage}`;
    },
  );
}

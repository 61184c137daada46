import type { DynamoPort, Item } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import type { Step } from "../step.ts";
import { type TestTable, testTables } from "../tables.ts";

/** Two backends with the same tables: DynamoDB Local, emptied before each sequence, and a new engine for each. */
export interface Lane {
  readonly tables: readonly TestTable[];
  readonly local: DynamoPort;
  /** Returns a new engine with the tables, and empties DynamoDB Local. */
  begin(): Promise<Engine>;
  /** Returns the step with a token of this sequence: DynamoDB Local remembers those of others for ten minutes. */
  ownToken(step: Step): Step;
  /** Uses new tokens from now on: only one of the two remembers the last. */
  forgetTokens(): void;
  /** Scans of everything that a sequence leaves. */
  readonly finalReads: readonly Step[];
  drop(): Promise<void>;
}

export async function openLane(local: DynamoPort, prefix: string): Promise<Lane> {
  const tables = testTables(prefix);
  for (const { create } of tables) await local.createTable(create);
  let tokens = 0;
  return {
    tables,
    local,
    finalReads: tables.flatMap(everythingIn),
    ownToken(step) {
      const { ClientRequestToken: token } = step.input;
      if (typeof token !== "string" || !/^t\d$/.test(token)) return step;
      return {
        ...step,
        input: { ...step.input, ClientRequestToken: `${token}-${tokens}-${prefix}`.slice(0, 36) },
      };
    },
    forgetTokens() {
      tokens++;
    },
    async begin() {
      tokens++;
      const engine = await openEngine({ storage: { kind: "memory" } });
      for (const table of tables) {
        await engine.createTable(table.create);
        await empty(local, table);
      }
      return engine;
    },
    async drop() {
      for (const { name } of tables) await local.deleteTable({ TableName: name });
    },
  };
}

function everythingIn(table: TestTable): Step[] {
  return table.paths.map((path) => ({
    operation: "Scan",
    input: { TableName: table.name, ...(path.index !== undefined && { IndexName: path.index }) },
    allPages: { table, path },
  }));
}

async function empty(port: DynamoPort, { name, hash, range }: TestTable): Promise<void> {
  const keys = { hash: hash.name, ...(range && { range: range.name }) };
  const placeholders = { "#h": keys.hash, ...(keys.range !== undefined && { "#r": keys.range }) };
  let startKey: Item | undefined;
  do {
    const page = await port.scan({
      TableName: name,
      ProjectionExpression: Object.keys(placeholders).join(", "),
      ExpressionAttributeNames: placeholders,
      ExclusiveStartKey: startKey,
    });
    startKey = page.LastEvaluatedKey;
    const items = page.Items ?? [];
    for (let at = 0; at < items.length; at += 25) {
      const RequestItems = { [name]: items.slice(at, at + 25).map((Key) => ({ DeleteRequest: { Key } })) };
      await port.batchWriteItem({ RequestItems });
    }
  } while (startKey !== undefined);
}

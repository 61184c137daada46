import {
  type AttributeValue,
  type DynamoError,
  type ExecuteStatementInput,
  isDynamoError,
} from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";

export const s = (text: string): AttributeValue => ({ S: text });
export const n = (value: number): AttributeValue => ({ N: String(value) });
const key = (AttributeName: string, KeyType: "HASH" | "RANGE") => ({ AttributeName, KeyType });

/** Opens an engine with a table `things` of two partitions, p and q, with the items a, b, c and d in each. */
export async function openThings(): Promise<Things> {
  const engine = await openEngine({ storage: { kind: "memory" } });
  const ALL = { ProjectionType: "ALL" as const };
  await engine.createTable({
    TableName: "things",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "S" },
      { AttributeName: "g", AttributeType: "S" },
      { AttributeName: "h", AttributeType: "N" },
    ],
    KeySchema: [key("pk", "HASH"), key("sk", "RANGE")],
    LocalSecondaryIndexes: [
      {
        IndexName: "by-g",
        KeySchema: [key("pk", "HASH"), key("g", "RANGE")],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ],
    GlobalSecondaryIndexes: [
      { IndexName: "by-g-h", KeySchema: [key("g", "HASH"), key("h", "RANGE")], Projection: ALL },
      { IndexName: "keys", KeySchema: [key("g", "HASH")], Projection: { ProjectionType: "KEYS_ONLY" } },
    ],
  });
  for (const pk of ["p", "q"]) {
    for (const [at, sk] of ["a", "b", "c", "d"].entries()) {
      const m = { M: { x: { L: [n(at), { L: [s("deep")] }] } } };
      await engine.putItem({
        TableName: "things",
        Item: { pk: s(pk), sk: s(sk), n: n(at + 1), g: s("g"), h: n(10 - at), m },
      });
    }
  }
  return new Things(engine);
}

/** Runs statements on that table. */
export class Things {
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async execute(
    Statement: string,
    over: Partial<ExecuteStatementInput> = {},
  ): ReturnType<Engine["executeStatement"]> {
    return this.engine.executeStatement({ Statement, ...over });
  }

  /** Returns the sort keys of a SELECT's items, joined. */
  async letters(statement: string, over: Partial<ExecuteStatementInput> = {}): Promise<string> {
    const { Items = [] } = await this.execute(statement, over);
    return Items.map((item) => item["sk"]?.S).join("");
  }

  /** Returns the error of a statement that must be rejected. */
  async rejection(
    statement: string,
    over: Partial<ExecuteStatementInput> = {},
  ): Promise<DynamoError["details"]> {
    const error: unknown = await this.execute(statement, over).catch((thrown: unknown) => thrown);
    if (!isDynamoError(error)) throw new Error(`${statement} was not rejected: ${JSON.stringify(error)}`);
    return error.details;
  }
}

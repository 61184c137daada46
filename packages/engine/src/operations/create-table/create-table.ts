import { randomUUID } from "node:crypto";
import type { CreateTableInput } from "@tablekeep/core";
import { describeTable } from "../../catalog/describe.ts";
import type { TableRecord } from "../../catalog/table-model.ts";
import type { Database } from "../../database.ts";
import { refusal } from "../../item/refuse.ts";
import type { WriteTransaction } from "../../write/write-queue.ts";
import type { Operation } from "../operation.ts";

export const createTable: Operation<"CreateTable"> = (database, input) =>
  database.writes.submit((transaction) => {
    const name = input.TableName ?? "";
    if (database.catalog.latest(transaction, name) !== undefined) {
      throw refusal("ResourceInUseException", `Table already exists: ${name}`);
    }
    const record = newRecord(database, transaction, name, input);
    database.catalog.put(transaction, record);
    return { TableDescription: describeTable(record) };
  });

function newRecord(
  database: Database,
  transaction: WriteTransaction,
  name: string,
  input: CreateTableInput,
): TableRecord {
  const arn = `arn:aws:dynamodb:${database.region}:${database.accountId}:table/${name}`;
  const indexes = [...(input.LocalSecondaryIndexes ?? []), ...(input.GlobalSecondaryIndexes ?? [])];
  const newId = () => database.catalog.newId(transaction);
  return {
    id: newId(),
    indexIds: Object.fromEntries(indexes.map(({ IndexName = "" }) => [IndexName, newId()])),
    tags: input.Tags ?? [],
    description: {
      TableName: name,
      TableStatus: "ACTIVE",
      TableArn: arn,
      TableId: randomUUID(),
      CreationDateTime: database.clock.now(),
      AttributeDefinitions: input.AttributeDefinitions,
      KeySchema: input.KeySchema,
      LocalSecondaryIndexes: input.LocalSecondaryIndexes?.map((index) => ({
        ...index,
        IndexArn: `${arn}/index/${index.IndexName}`,
      })),
      GlobalSecondaryIndexes: input.GlobalSecondaryIndexes?.map((index) => ({
        IndexName: index.IndexName,
        KeySchema: index.KeySchema,
        Projection: index.Projection,
        IndexStatus: "ACTIVE" as const,
        IndexArn: `${arn}/index/${index.IndexName}`,
      })),
    },
  };
}

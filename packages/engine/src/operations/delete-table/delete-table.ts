import { describeTable } from "../../catalog/describe.ts";
import { refusal } from "../../item/refuse.ts";
import type { Operation } from "../operation.ts";

export const deleteTable: Operation<"DeleteTable"> = (database, { TableName = "" }) =>
  database.writes.submit((transaction) => {
    const record = database.catalog.latest(transaction, TableName);
    if (record === undefined) {
      throw refusal(
        "ResourceNotFoundException",
        `Requested resource not found: Table: ${TableName} not found`,
      );
    }
    database.catalog.delete(transaction, TableName);
    return { TableDescription: { ...describeTable(record), TableStatus: "DELETING" } };
  });

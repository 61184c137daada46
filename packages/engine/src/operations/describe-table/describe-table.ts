import { describeTable as describe } from "../../catalog/describe.ts";
import { refusal } from "../../item/refuse.ts";
import type { Operation } from "../operation.ts";

export const describeTable: Operation<"DescribeTable"> = (database, { TableName = "" }) => {
  const table = database.catalog.find(TableName);
  if (table === undefined) {
    throw refusal("ResourceNotFoundException", `Requested resource not found: Table: ${TableName} not found`);
  }
  return { Table: describe(table.record) };
};

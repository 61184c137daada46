import { tableNotFound } from "../../catalog/catalog.ts";
import { describeTable as describe } from "../../catalog/describe.ts";
import type { Operation } from "../operation.ts";

export const describeTable: Operation<"DescribeTable"> = (database, { TableName = "" }) => {
  const table = database.catalog.find(TableName);
  if (table === undefined) throw tableNotFound(TableName);
  return { Table: describe(database.storage, table.record) };
};

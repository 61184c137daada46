import { tableNotFound } from "../catalog/catalog.ts";
import { tableDescription } from "../catalog/describe-table.ts";
import type { Operation } from "../database/database.ts";

export const describeTable: Operation<"DescribeTable"> = (database, { TableName = "" }) => {
  const table = database.catalog.find(TableName);
  if (table === undefined) throw tableNotFound(TableName);
  return { Table: tableDescription(database.storage, table.record) };
};

/** AWS: API_ListTables — the most names on a page. */
const maxNames = 100;

export const listTables: Operation<"ListTables"> = (database, input) => {
  const from = input.ExclusiveStartTableName;
  const limit = input.Limit ?? maxNames;
  const names = database.catalog
    .all()
    .map(({ name }) => name)
    .filter((name) => from === undefined || name > from);
  const page = names.slice(0, limit);
  return {
    TableNames: page,
    LastEvaluatedTableName: page.length < names.length ? page[page.length - 1] : undefined,
  };
};

/** AWS: Limits — the defaults of an account. */
export const describeLimits: Operation<"DescribeLimits"> = () => ({
  AccountMaxReadCapacityUnits: 80_000,
  AccountMaxWriteCapacityUnits: 80_000,
  TableMaxReadCapacityUnits: 40_000,
  TableMaxWriteCapacityUnits: 40_000,
});

/** An engine has no address. A server in front of it reports its own instead. */
export const describeEndpoints: Operation<"DescribeEndpoints"> = () => ({
  Endpoints: [{ Address: "localhost", CachePeriodInMinutes: 1440 }],
});

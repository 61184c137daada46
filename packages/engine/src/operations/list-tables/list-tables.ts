import type { Operation } from "../operation.ts";

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

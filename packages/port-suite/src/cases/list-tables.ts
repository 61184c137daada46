import assert from "node:assert/strict";
import { cases, type Row } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";
import { tableInput } from "../shared-tables.ts";

/** Every name, page by page. */
async function listed({ port }: PortWorld, Limit: number): Promise<string[]> {
  const names: string[] = [];
  let from: string | undefined;
  for (let round = 0; round < 10_000; round++) {
    const page = await port.listTables({ Limit, ExclusiveStartTableName: from });
    assert.ok((page.TableNames?.length ?? 0) <= Limit, `a page of ${page.TableNames?.length}`);
    names.push(...(page.TableNames ?? []));
    from = page.LastEvaluatedTableName;
    if (from === undefined) return names;
  }
  throw new Error("the listing does not end");
}

export const listTablesCases: readonly PortCase[] = cases({ source: "AWS: API_ListTables" }, [
  {
    name: "ListTables returns every table, in the order of names",
    async run(world) {
      const names = Object.values(world.tables).sort();
      const found = (await listed(world, 100)).filter((name) => names.includes(name));
      same(found, names);
    },
  },
  {
    name: "ListTables pages by Limit without losing or repeating a name",
    async run(world) {
      const prefix = `${world.unique()}-list`;
      for (const suffix of ["a", "b", "c"]) await world.port.createTable(tableInput(`${prefix}-${suffix}`));
      const found = (await listed(world, 2)).filter((name) => name.startsWith(prefix));
      same(
        found,
        ["a", "b", "c"].map((suffix) => `${prefix}-${suffix}`),
      );
    },
  },
  {
    name: "ListTables starts after a name, even one that no table has",
    async run({ port, tables }) {
      const after = async (ExclusiveStartTableName: string) =>
        (await port.listTables({ ExclusiveStartTableName })).TableNames ?? [];
      const rest = await after(tables.binary);
      assert.ok(!rest.includes(tables.binary) && rest.includes(tables.composite), rest.join());
      assert.ok((await after(`${tables.binary}-not-there`)).includes(tables.composite));
    },
  },
  {
    name: "ListTables returns the last name of a cut page as LastEvaluatedTableName",
    async run({ port }) {
      const { TableNames, LastEvaluatedTableName } = await port.listTables({ Limit: 1 });
      same(TableNames?.length, 1);
      same(LastEvaluatedTableName, TableNames?.[0]);
    },
  },
  ...[0, 101].map((Limit): Row => ({ name: `ListTables rejects Limit ${Limit}`, listTables: { Limit }, rejected: "" })),
  {
    name: "ListTables rejects a starting name that cannot be one",
    gap: "rejects with other words",
    listTables: { ExclusiveStartTableName: "not a name" },
    rejected: "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
  },
]);

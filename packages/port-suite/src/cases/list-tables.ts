import assert from "node:assert/strict";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { tableInput } from "../tables.ts";

const api = "AWS: API_ListTables";

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

export const listTablesCases: readonly PortCase[] = [
  {
    name: "ListTables gives every table, in the order of names",
    source: api,
    async run(world) {
      const names = Object.values(world.tables).sort();
      const found = (await listed(world, 100)).filter((name) => names.includes(name));
      same(found, names);
    },
  },
  {
    name: "ListTables pages by Limit without losing or repeating a name",
    source: api,
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
    name: "ListTables starts after a name, also after one that no table has",
    source: api,
    async run({ port, tables }) {
      const after = async (ExclusiveStartTableName: string) =>
        (await port.listTables({ ExclusiveStartTableName })).TableNames ?? [];
      const rest = await after(tables.binary);
      assert.ok(!rest.includes(tables.binary) && rest.includes(tables.composite), rest.join());
      assert.ok((await after(`${tables.binary}-not-there`)).includes(tables.composite));
    },
  },
  {
    name: "ListTables gives the last name of a cut page as LastEvaluatedTableName",
    source: api,
    async run({ port }) {
      const { TableNames, LastEvaluatedTableName } = await port.listTables({ Limit: 1 });
      same(TableNames?.length, 1);
      same(LastEvaluatedTableName, TableNames?.[0]);
    },
  },
  ...[0, 101].map(
    (Limit): PortCase => ({
      name: `ListTables refuses Limit ${Limit}`,
      source: api,
      async run({ port }) {
        await refuses(port.listTables({ Limit }), "ValidationException");
      },
    }),
  ),
  {
    name: "ListTables refuses a starting name that cannot be one",
    source: api,
    async run({ port }) {
      const call = port.listTables({ ExclusiveStartTableName: "not a name" });
      await refuses(
        call,
        "ValidationException",
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
      );
    },
    ...localGap("refuses with other words"),
  },
];

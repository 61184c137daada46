import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { openJournalChanges } from "../src/changes/index.ts";
import { journalTableSpec, openJournal, unwrap } from "../src/index.ts";

test.each(["packed", "bucketed", "linear", "scattered"] as const)(
  "a change commits a write if it adds its first item, also in the place of a dead one (%s)",
  async (layout) => {
    const port = await openEngine({ storage: { kind: "memory" } });
    const options = { table: "events", layout };
    await ensureTable(port, journalTableSpec(options));
    const journal = await openJournal(port, options);
    unwrap(await journal.append("a-1", [{ payload: 1, tags: ["x"] }, { payload: 2 }]));
    const changes = await openJournalChanges(port, options);
    const { Items = [] } = await port.scan({ TableName: "events" });
    const names = layout === "scattered" ? ["key"] : layout === "linear" ? ["pid", "seq"] : ["par", "num"];
    const writesOf = (kind: "insert" | "modify" | "remove", more: object = {}) =>
      Items.flatMap((item) => {
        const keys = Object.fromEntries(names.map((name) => [name, item[name] ?? { S: "" }]));
        return changes.writesOf({ kind, keys, image: { ...item, ...more } });
      }).map(({ persistenceId, first, last }) => ({ persistenceId, first, last }));
    const write = { persistenceId: "a-1", first: 1, last: 2 };
    expect(writesOf("insert")).toEqual([write]);
    expect(writesOf("modify")).toEqual([]);
    expect(writesOf("modify", { over: { BOOL: true } })).toEqual([write]);
    expect(writesOf("insert", { staged: { BOOL: true } })).toEqual([]);
    expect(writesOf("insert", { tomb: { BOOL: true } })).toEqual([]);
    expect(writesOf("remove")).toEqual([]);
    await port.close();
  },
);

test("a packed item is described by its attributes as by its events", async () => {
  const port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, journalTableSpec());
  const journal = await openJournal(port);
  const sizes = [1, 2, 127, 128, 300];
  for (const size of sizes) {
    const events = Array.from({ length: size }, (_unused, at) => ({
      payload: at,
      tags: [`t${at % 3}`, "x"],
    }));
    unwrap(await journal.append(`id ${size}`, events));
  }
  // Too large for one item: the first names the whole write, without the tags of the others.
  const large = Array.from({ length: 6 }, () => ({ payload: "x".repeat(150_000), tags: ["big"] }));
  unwrap(await journal.append("large", large));
  const changes = await openJournalChanges(port);
  const { Items = [] } = await port.scan({ TableName: "events" });
  const found = new Map<string, unknown[]>();
  for (const image of Items) {
    const keys = { par: image["par"] ?? { S: "" }, num: image["num"] ?? { N: "" } };
    for (const { tags, ...write } of changes.writesOf({ kind: "insert", keys, image }))
      found.set(write.persistenceId, [
        ...(found.get(write.persistenceId) ?? []),
        { ...write, tags: tags?.toSorted() },
      ]);
  }
  // Read from the decoded events of an id.
  for (const id of [...sizes.map((size) => `id ${size}`), "large"]) {
    const expected: unknown[] = [];
    for await (const { tags = [], ...write } of changes.writesOfId(id))
      expected.push({ ...write, tags: id === "large" ? undefined : tags.toSorted() });
    expect(found.get(id)).toEqual(expected);
    expect(expected).toHaveLength(1);
  }
  await port.close();
});

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

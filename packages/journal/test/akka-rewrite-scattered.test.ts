import type { Item } from "@tablekeep/core";
import { expect, test } from "vitest";
import { journalWriter } from "../src/append/journal-writer.ts";
import { recoverWriter } from "../src/append/recover.ts";
import { buildContext } from "../src/context/build-context.ts";
import type { JournalWriter } from "../src/context/journal.ts";
import { requestOptions } from "../src/context/journal-context.ts";
import type { Layout } from "../src/layouts/layout.ts";
import type { EventRow } from "../src/rows/event-row.ts";
import { ownAttributes } from "../src/rows/own-attributes.ts";
import { decodeRow } from "../src/rows/row-format.ts";
import { openScatteredMessages } from "../src/tools/scattered/open-scattered-messages.ts";
import { fixtureItems } from "./akka-fixtures.ts";
import { comparable } from "./comparable.ts";
import { engineWith, itemsOf } from "./journal-world.ts";

const fixture = "akka-0.3";
const options = { table: "again", layout: "scattered" } as const;

/** Deletions of the writers: ids, up to which sequence number, and whether permanent. */
const deletions = [
  ["p-3", 12, true],
  ["p-4", 120, true],
  ["p-5", 12, false],
] as const;

/** The rows of the fixture with events, by id and number. */
function rowsById(kindOf: Layout["describe"]): Map<string, Map<number, EventRow>> {
  const ids = new Map<string, Map<number, EventRow>>();
  for (const item of fixtureItems(fixture, "journal")) {
    const what = kindOf(item);
    const row = what.kind === "event" ? decodeRow(item, what) : undefined;
    if (row?.kind !== "event") continue;
    const rows = ids.get(row.persistenceId) ?? new Map<number, EventRow>();
    ids.set(row.persistenceId, rows.set(row.sequenceNr, row));
  }
  return ids;
}

/** Event after event, as the original writes them; what was deleted for good was anything. */
async function writeAgain(writer: JournalWriter, rows: ReadonlyMap<number, EventRow>): Promise<void> {
  const end = Math.max(...rows.keys());
  for (let sequenceNr = 1; sequenceNr <= end; sequenceNr++) {
    const { payload = "deleted again", sender } = rows.get(sequenceNr) ?? {};
    const outcome = await writer.append({ payload, sender });
    expect(outcome).toMatchObject({ kind: "ok", value: { first: sequenceNr } });
  }
}

/**
 * What the original leaves and we do not: an item `SL` for every message that it deletes softly, and a stub in number 0,
 * where no message ever was.
 */
function isLeftOver(item: Item): boolean {
  return /^journal-(SL-p-5-\d+|P-p-5-0)$/.test(item["key"]?.S ?? "");
}

test(`what the writers of ${fixture} did leaves the same table behind when it is done here`, async () => {
  const port = await engineWith(options);
  const { context } = buildContext(port, options);
  const messages = await openScatteredMessages(port, options);
  const kindOf = context.layout.describe;
  for (const [id, rows] of rowsById(kindOf)) {
    const session = await recoverWriter(context, id, requestOptions(context));
    // Writers of 0.x have no ids.
    await writeAgain(journalWriter(context, { ...session, writerUuid: "" }), rows);
    for (const { sequenceNr, confirmations = [] } of rows.values())
      for (const channel of confirmations) await messages.confirm(id, sequenceNr, channel);
  }
  for (const [id, to, permanent] of deletions) await messages.deleteMessagesTo(id, to, { permanent });
  const own = new Set<string>(ownAttributes);
  const theirs = (items: readonly Item[]) =>
    items
      .filter((item) => ["event", "high-mark", "low-mark"].includes(kindOf(item).kind) && !("tomb" in item))
      .filter((item) => !isLeftOver(item))
      .map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => !own.has(name))))
      .sort((one, two) => ((one["key"]?.S ?? "") < (two["key"]?.S ?? "") ? -1 : 1));
  const original = fixtureItems(fixture, "journal");
  expect(theirs(original)).toHaveLength(original.length - 14);
  expect(comparable(theirs(await itemsOf(port, "again")))).toEqual(comparable(theirs(original)));
  await port.close();
});

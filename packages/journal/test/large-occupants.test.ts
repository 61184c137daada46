import type { DynamoPort, Item } from "@tablekeep/core";
import { faultyPort } from "@tablekeep/testkit";
import { afterEach, expect, test } from "vitest";
import { type JournalOptions, openJournal } from "../src/index.ts";
import { append, engineWith, itemsOf, layouts } from "./journal-world.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

const id = "order-1";
const large = { payload: "x".repeat(300_000) };

/** The items of a journal in which another writer appended 20 events of 300 KB, 6 MB together. */
async function othersItems(options: JournalOptions): Promise<Item[]> {
  const port = await engineWith(options);
  open.push(port);
  await append(
    await openJournal(port, options),
    id,
    Array.from({ length: 20 }, () => large),
  );
  return itemsOf(port, "events");
}

/*
 * An unknown commit is settled by reading the rows that it should have written. They may be another writer's, and larger
 * than the 4 MB that one transaction reads.
 */
test.each(layouts)(
  "%s: a commit in doubt over more than 4 MB of another writer's rows is a conflict",
  async (layout) => {
    const options = { table: "events", layout, ...(layout === "scattered" && { sequenceShards: 10 }) };
    const items = await othersItems(options);
    const engine = await engineWith(options);
    open.push(engine);
    // A linear journal registers the id by a separate transaction.
    const commit = layout === "linear" ? 2 : 1;
    let transactions = 0;
    const interrupted: DynamoPort = {
      ...engine,
      async transactWriteItems(input, call) {
        if (++transactions === commit)
          for (const each of items) await engine.putItem({ TableName: "events", Item: each });
        return engine.transactWriteItems(input, call);
      },
    };
    const lossy = faultyPort(interrupted, {
      seed: 1,
      faults: [{ kind: "lost-after-apply", op: "TransactWriteItems", nth: [commit, commit] }],
    });
    const journal = await openJournal(lossy, options);
    const writer = await journal.recover(id);
    const batch = Array.from({ length: 130 }, (_, n) => ({ payload: n }));
    const outcome = await writer.append(batch, { deadlineMs: 30_000 });
    expect(outcome?.kind).toBe("conflict");
  },
);

import type { DynamoPort, Item } from "@tablekeep/core";
import type { FakeClock } from "@tablekeep/testkit";
import { openMail } from "../src/index.ts";

/** All items whose partition key begins with this, as stored. */
export async function itemsOf(port: DynamoPort, prefix: string): Promise<Item[]> {
  const items: Item[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const page = await port.scan({ TableName: "mail", ExclusiveStartKey });
    items.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return items.filter(({ pk }) => pk?.S?.startsWith(prefix) === true);
}

/** The entries of hours in the directory. */
export async function hourEntries(port: DynamoPort): Promise<Item[]> {
  return (await itemsOf(port, "hours")).filter(({ sk }) => sk?.S?.startsWith("~") === false);
}

/** Whether all hours have blocks of all their messages. */
export async function hasAllBlocks(port: DynamoPort): Promise<boolean> {
  const hours = await hourEntries(port);
  return hours.every(({ blocks, gen, removals }) => {
    const late = Number(gen?.N ?? 0) - Number(removals?.N ?? 0);
    return blocks?.S?.startsWith(`${late} `) === true && blocks.S.endsWith(" ~");
  });
}

/** Lets background work continue for some time, and until it has come to an end of this kind; false if it has not. */
export async function advanceUntil(clock: FakeClock, isDone: () => Promise<boolean>): Promise<boolean> {
  for (let round = 0; round < 300; round++) {
    await clock.advance(round === 0 ? 3000 : 500);
    for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (await isDone()) return true;
  }
  return false;
}

/** An instance that has read all signatures makes blocks of them. All hours must have ended. */
export async function makeBlocks(port: DynamoPort, clock: FakeClock): Promise<void> {
  const mail = await openMail(port, { clock });
  await mail.search({ kind: "containing", query: "does not occur" }, { total: true });
  const isDone = await advanceUntil(clock, () => hasAllBlocks(port));
  await mail.close();
  if (!isDone) throw new Error("no blocks were made");
}

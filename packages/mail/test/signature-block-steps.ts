import { type DynamoPort, type Item, wrapPort } from "@tablekeep/core";
import { type FakeClock, fakeClock, type World } from "@tablekeep/testkit";
import { type Mail, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

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
  const { Items = [], LastEvaluatedKey } = await port.query({
    TableName: "mail",
    KeyConditionExpression: "pk = :hours",
    ExpressionAttributeValues: { ":hours": { S: "hours" } },
  });
  if (LastEvaluatedKey !== undefined) throw new Error("the directory has more than a page of hours");
  return Items.filter(({ sk }) => sk?.S?.startsWith("~") === false);
}

/** Whether all hours have blocks of all their messages, with at most a quarter of messages that were deleted since. */
export async function hasAllBlocks(port: DynamoPort): Promise<boolean> {
  const hours = await hourEntries(port);
  return hours.every(({ blocks, gen, removals, removed }) => {
    const late = Number(gen?.N ?? 0) - Number(removals?.N ?? 0);
    const [made, removedBefore, count, before] = (blocks?.S ?? "").split(" ");
    const gone = Number(removed?.N ?? 0) - Number(removedBefore);
    return made === String(late) && before === "~" && gone <= Number(count) / 4;
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

const hour = 3_600_000;
export const perHour = 40;

export interface BlockWorld extends World {
  readonly clock: FakeClock;
  readonly ids: string[];
}

/** Words that hardly repeat from one text to the other. */
export function varied(seed: number, length: number): string {
  const word = (at: number) => ((seed * 7919 + at * 104_729) % 99_991).toString(36);
  return Array.from({ length }, (_, at) => word(at)).join(" ");
}

interface StoredHours {
  readonly items: readonly Item[];
  readonly ids: readonly string[];
  readonly endedAt: number;
}

/** What has been stored once, by its content. Each world gets a copy of the items. */
const storedHours = new Map<string, Promise<StoredHours>>();

/** Messages in two hours that have ended. With many words, the parts of their blocks are separate items. */
export async function twoHours({ each = perHour, words = 0 } = {}): Promise<BlockWorld> {
  const content = `${each} ${words}`;
  const stored = storedHours.get(content) ?? storeTwoHours(each, words);
  storedHours.set(content, stored);
  const { items, ids, endedAt } = await stored;
  const clock = fakeClock({ startAt: endedAt });
  const port = await engineWithMail({ clock });
  for (const Item of items) await port.putItem({ TableName: "mail", Item });
  return { clock, port, ids: [...ids] };
}

async function storeTwoHours(each: number, words: number): Promise<StoredHours> {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9) });
  await using port = await engineWithMail({ clock });
  const mail = await openMail(port, { clock });
  const ids: string[] = [];
  for (let at = 0; at < 2 * each; at++) {
    if (at === each) clock.jump(hour);
    ids.push(
      (await mail.store(envelope, letter(`number ${at}`, `plum plum${at}x ${varied(at, words)}\r\n`))).id,
    );
  }
  await mail.close();
  clock.jump(2 * hour);
  return { items: await itemsOf(port, ""), ids, endedAt: clock.now() };
}

/** A new instance, and the number of items that its queries read. */
export async function newInstance({
  clock,
  port,
}: BlockWorld): Promise<{ readonly mail: Mail; readonly read: { items: number } }> {
  const read = { items: 0 };
  const counting = wrapPort(port, async (operation, input, options, next) => {
    const answer = await next(operation, input, options);
    if (operation === "Query") read.items += (answer as { ScannedCount?: number }).ScannedCount ?? 0;
    return answer;
  });
  return { mail: await openMail(counting, { clock }), read };
}

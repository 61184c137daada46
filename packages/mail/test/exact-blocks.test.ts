/**
 * Blocks of signatures also show which messages exist, and which contain a common phrase: counts and offsets right after a start need not
 * read every summary, and a total not every message.
 */
import { type BatchGetItemInput, type Item, wrapPort } from "@tablekeep/core";
import { expect, test } from "vitest";
import { type Mail, type MailSearch, openMail } from "../src/index.ts";
import { envelope } from "../src/testing/mail-case.ts";
import {
  type BlockWorld,
  hourEntries,
  itemsOf,
  makeBlocks,
  newInstance,
  twoHours,
} from "./signature-block-steps.ts";

test("blocks show a new instance how many messages there are, and where an offset begins", async () => {
  const world = await twoHours({ each: 300 });
  await makeBlocks(world.port, world.clock);
  const newest = world.ids.toReversed();
  const counting = await newInstance(world);
  expect(await counting.mail.count()).toBe(600);
  // Two hours, the era, and the lease.
  expect(counting.read.items).toBeLessThan(5);
  const listing = await newInstance(world);
  const { items } = await listing.mail.list({ start: 540, limit: 20 });
  expect(items.map(({ id }) => id)).toEqual(newest.slice(540, 560));
  expect(listing.read.items).toBeLessThan(80);
  await counting.mail.deleteMany(world.ids.splice(20, 2));
  for (const { mail } of [counting, listing, await newInstance(world)]) {
    expect(await mail.count()).toBe(598);
    const page = await mail.list({ start: 560, limit: 100 });
    expect(page.items.map(({ id }) => id)).toEqual(world.ids.toReversed().slice(560));
    await mail.close();
  }
});

test("blocks do not count a message that was never committed", async () => {
  const world = await twoHours({ each: 250 });
  const [signed] = (await itemsOf(world.port, "s#")) as [Item];
  const id = signed["sk"]?.S ?? "";
  // A store that ended between its items and its summary has left this. Another random part follows the same time.
  const left = `${id.slice(0, 14)}${id.charAt(14) === "0" ? "1" : "0"}${id.slice(15)}`;
  await world.port.putItem({ TableName: "mail", Item: { ...signed, sk: { S: left } } });
  await makeBlocks(world.port, world.clock);
  for (const entry of await hourEntries(world.port)) expect(entry["blocks"]?.S).toMatch(/^0 0 250 ~ exact$/);
  const { mail, read } = await newInstance(world);
  expect(await mail.count()).toBe(500);
  expect(read.items).toBeLessThan(5);
  await mail.close();
});

/** An instance, and the number of bodies and of summaries that it has read by their keys. */
async function bodyReader({ clock, port }: BlockWorld) {
  const read = { bodies: 0, summaries: 0 };
  const counting = wrapPort(port, async (operation, input, options, next) => {
    const { RequestItems = {} } = input as { readonly RequestItems?: BatchGetItemInput["RequestItems"] };
    const keys = Object.values(RequestItems).flatMap(({ Keys }) => Keys ?? []);
    const count = (prefix: string) => keys.filter(({ pk }) => pk?.S?.startsWith(prefix) === true).length;
    read.bodies += count("b#");
    read.summaries += count("m#");
    return next(operation, input, options);
  });
  return { mail: await openMail(counting, { clock }), read };
}

const totalOf = async (mail: Mail, query: string, kind: MailSearch["kind"] = "containing") =>
  (await mail.search({ kind, query }, { total: true, limit: 0 })).total;

test.each([0, 1300])("a total of a common word or line reads no body, %i other words", async (words) => {
  const world = await twoHours({ words });
  await makeBlocks(world.port, world.clock);
  const { mail, read } = await bodyReader(world);
  // A word, a part of it, a part of a header, and one that MailHog adds.
  for (const query of ["plum", "PLU", "number", "(MailHog)"])
    expect(await totalOf(mail, query), query).toBe(80);
  expect(await totalOf(mail, envelope.from.slice(1), "from")).toBe(80);
  expect(await totalOf(mail, envelope.to[0] ?? "", "to")).toBe(80);
  expect(read).toEqual({ bodies: 0, summaries: 0 });
  expect(await totalOf(mail, "plum plum7x")).toBe(1);
  expect(await totalOf(mail, "plumplum")).toBe(0);
  await mail.deleteMany(world.ids.splice(7, 2));
  expect(await totalOf(mail, "plum")).toBe(78);
  await mail.close();
});

test("phrases that are missing or damaged are replaced by the messages", async () => {
  const world = await twoHours();
  await makeBlocks(world.port, world.clock);
  const found = (await itemsOf(world.port, "w#")).filter(({ texts }) => texts !== undefined);
  expect(found).toHaveLength(6);
  for (const rows of [new Uint8Array(3), undefined]) {
    for (const { pk, sk, ...rest } of found) {
      const key = { pk, sk } as Item;
      if (rows === undefined) await world.port.deleteItem({ TableName: "mail", Key: key });
      else await world.port.putItem({ TableName: "mail", Item: { ...key, ...rest, rows: { B: rows } } });
    }
    const { mail, read } = await bodyReader(world);
    expect(await totalOf(mail, "plum")).toBe(80);
    expect(read.bodies).toBe(80);
    await mail.close();
  }
});

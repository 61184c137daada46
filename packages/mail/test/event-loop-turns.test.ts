/** An embedded engine answers at once: work on very many messages must give turns of the event loop to others itself. */
import { randomBytes } from "node:crypto";
import { type BatchGetItemOutput, type DynamoPort, wrapPort } from "@tablekeep/core";
import { beforeAll, expect, test } from "vitest";
import { type Mail, openMail } from "../src/index.ts";
import { shardedLayout } from "../src/layouts/sharded/sharded-layout.ts";
import { background } from "../src/model/background-work.ts";
import { mailCall } from "../src/model/mail-context.ts";
import { resolveMailOptions } from "../src/model/mail-options.ts";
import { storeMemory } from "../src/model/search-memory.ts";
import { engineWithMail, mailOnEngine } from "./engine-mail.ts";
import { turnsOf } from "./turns-of.ts";

const messages = 3_000;

let port: DynamoPort;
let mail: Mail;
beforeAll(async () => {
  port = await engineWithMail();
  mail = await openMail(port);
  const envelope = { from: "a@example.com", to: ["b@example.com"], helo: "test" };
  for (let first = 0; first < messages; first += 100) {
    const some = Array.from({ length: 100 }, (_, at) =>
      Buffer.from(`Subject: ${first + at}\r\n\r\nHello\r\n`),
    );
    await Promise.all(some.map((message) => mail.store(envelope, message)));
  }
});

test("a new watcher reads very many recent messages in several turns", async () => {
  const options = resolveMailOptions({});
  const ignored = { onCommitted: () => {}, onImported: () => {}, onCleared: () => {} };
  const memory = storeMemory(options.searchMemory);
  const context = { ...options, port, memory, background: background(), ...ignored };
  const call = mailCall(context, { deadlineMs: 600_000 });
  const layout = shardedLayout(context);
  const { turns, result } = await turnsOf(() => layout.recent(options.clock.now() - 3_600_000, call));
  expect(result).toHaveLength(messages);
  expect(turns).toBeGreaterThanOrEqual(messages / 500);
});

test.each([
  ["a word too short for the index", { kind: "containing", query: "lo" }, messages],
  ["the same in decoded text", { kind: "text", query: "lo" }, messages],
  ["an address too short for the index", { kind: "from", query: "a@" }, messages],
  ["a word in all messages", { kind: "containing", query: "hello" }, messages],
  ["marks", { query: "is:unread" }, messages],
  ["what no message has", { query: "larger:1M" }, 0],
] as const)("a search for %s takes several turns", async (_what, search, total) => {
  const { turns, result } = await turnsOf(() =>
    mail.search(search, { total: true, limit: 10, deadlineMs: 600_000 }),
  );
  expect(result.total).toBe(total);
  expect(turns).toBeGreaterThanOrEqual(messages / 500);
});

test("the end of a large message takes a turn for its text and one for its signature", async () => {
  const line = `${Buffer.from("a line of text for a search, then some more.").toString("base64")}\r\n`;
  const raw = Buffer.from(`Content-Transfer-Encoding: base64\r\n\r\n${line.repeat(20_000)}`);
  const { mail: other, port: itsPort } = await mailOnEngine();
  const incoming = other.receive({ from: "a@example.com", to: ["b@example.com"], helo: "test" });
  // The last chunk is small, so that packing it takes no turn, and the other four are stored.
  await incoming.write(raw.subarray(0, 1_048_576 + 1_000));
  await expect.poll(async () => (await itsPort.scan({ TableName: "mail", Select: "COUNT" })).Count).toBe(4);
  const { turns } = await turnsOf(() => incoming.finish());
  expect(turns).toBeGreaterThanOrEqual(2);
  await other.close();
});

test("an embedded engine reads few MiB of a large message at once", async () => {
  const { port: itsPort } = await mailOnEngine();
  const read: number[] = [];
  const counted = wrapPort(itsPort, async (operation, input, options, next) => {
    const output = await next(operation, input, options);
    if (operation === "BatchGetItem") {
      const { Responses = {} } = output as BatchGetItemOutput;
      const items = Object.values(Responses).flat();
      read.push(items.flatMap(Object.values).reduce((sum, { B }) => sum + (B?.length ?? 0), 0));
    }
    return output;
  });
  const other = await openMail({ ...counted, atomicBatches: true });
  const raw = randomBytes(10 * 1_048_576);
  const { id } = await other.store({ from: "a@example.com", to: ["b@example.com"], helo: "test" }, raw);
  const loaded = await other.load(id);
  expect(loaded !== undefined && raw.equals(loaded.raw)).toBe(true);
  expect(Math.max(...read)).toBeLessThanOrEqual(2 * 1_048_576);
  await other.close();
});

test.each([
  ["a list that begins at a far message", (fresh: Mail) => fresh.list({ start: messages - 10, limit: 5 })],
  ["a count", (fresh: Mail) => fresh.count()],
])("%s takes a turn for each shard at least", async (_what, read) => {
  const fresh = await openMail(port);
  const { turns } = await turnsOf<unknown>(() => read(fresh));
  expect(turns).toBeGreaterThanOrEqual(4);
});

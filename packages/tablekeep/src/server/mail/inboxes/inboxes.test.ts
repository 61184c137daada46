import { ensureTable } from "@tablekeep/client";
import { silentLogger, systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { createSearchMemory, mailTableSpec, openDecoder } from "@tablekeep/mail";
import { expect, onTestFinished, test } from "vitest";
import { openInboxes } from "./inboxes.ts";

const envelope = { from: "a@b.example", to: ["c@d.example"], helo: "h" };

async function inboxesOnEngine(maxBytes?: number) {
  const port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, mailTableSpec());
  const searchMemory = createSearchMemory(maxBytes === undefined ? {} : { maxBytes });
  const decoder = openDecoder();
  const inboxes = openInboxes({
    port,
    store: { searchMemory },
    decoder,
    clock: systemClock,
    logger: silentLogger,
  });
  onTestFinished(async () => {
    await inboxes.close();
    await decoder.close();
    await port.close();
  });
  return { inboxes, searchMemory };
}

test("an inbox that is used stays open however many others are opened", async () => {
  const { inboxes } = await inboxesOnEngine();
  const { mail } = await inboxes.open("used");
  const { mail: unused } = await inboxes.open("unused");
  for (let at = 0; at < 1_005; at++) {
    await inboxes.open(`other-${at}`);
    if (at % 100 === 0) await inboxes.open("used");
  }
  expect((await inboxes.open("used")).mail).toBe(mail);
  expect((await inboxes.open("unused")).mail).not.toBe(unused);
});

test("all inboxes have one limit of what they keep in memory for searches", async () => {
  const { inboxes, searchMemory } = await inboxesOnEngine(5_000);
  for (let at = 0; at < 20; at++) {
    const { mail } = await inboxes.open(`inbox-${at}`);
    await mail.store(envelope, Buffer.from(`Subject: ${at}\r\n\r\na plum\r\n`));
    expect((await mail.search({ kind: "text", query: "plum" }, { total: true })).total).toBe(1);
    expect(searchMemory.usedBytes).toBeLessThanOrEqual(5_000);
  }
  expect(searchMemory.usedBytes).toBeGreaterThan(2_500);
});

test("decoded messages with the same id in two inboxes are two", async () => {
  const { inboxes } = await inboxesOnEngine();
  const texts = await Promise.all(
    ["one", "two"].map(async (name) => {
      const { decoded } = await inboxes.open(name);
      return (await decoded.get("id", async () => Buffer.from(`Subject: s\r\n\r\nin ${name}\r\n`))).text;
    }),
  );
  expect(texts.map((text) => text.trim())).toEqual(["in one", "in two"]);
});

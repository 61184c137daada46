import { expect, test } from "vitest";
import { openMail } from "../src/index.ts";
import { shardedLayout } from "../src/layouts/sharded/sharded-layout.ts";
import { background } from "../src/model/background.ts";
import { mailCall } from "../src/model/mail-context.ts";
import { resolveMailOptions } from "../src/model/mail-options.ts";
import { storeMemory } from "../src/model/search-memory.ts";
import { engineWithMail } from "./engine-mail.ts";

const messages = 3_000;

test("other work gets turns of the event loop while a new watcher reads very many recent messages", async () => {
  const port = await engineWithMail();
  const mail = await openMail(port);
  const envelope = { from: "a@example.com", to: ["b@example.com"], helo: "test" };
  for (let first = 0; first < messages; first += 100) {
    const some = Array.from({ length: 100 }, (_, at) =>
      Buffer.from(`Subject: ${first + at}\r\n\r\nHello\r\n`),
    );
    await Promise.all(some.map((message) => mail.store(envelope, message)));
  }
  await mail.close();
  const options = resolveMailOptions({});
  const ignored = { onCommitted: () => {}, onImported: () => {}, onCleared: () => {} };
  const memory = storeMemory(options.searchMemory);
  const context = { ...options, port, memory, background: background(), ...ignored };
  const layout = shardedLayout(context);

  let turns = 0;
  let isReading = true;
  const count = () => {
    turns++;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const found = await layout.recent(
    options.clock.now() - 3_600_000,
    mailCall(context, { deadlineMs: 600_000 }),
  );
  isReading = false;
  expect(found).toHaveLength(messages);
  expect(turns).toBeGreaterThanOrEqual(messages / 500);
});

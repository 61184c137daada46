import { describe, expect, test } from "vitest";
import { createSearchMemory, isMailError, openMail } from "../src/index.ts";
import { engineWithMail } from "./engine-mail.ts";

const envelope = { from: "a@b.example", to: ["c@d.example"], helo: "h" };
const words = ["plum", "pear", "quince"];
const raw = (number: number) =>
  Buffer.from(`Subject: ${number}\r\n\r\nA ${words[number % words.length]} in message ${number}\r\n`);

describe("stores that share a search memory", () => {
  test("stay below its limit together, and count and find the same", async () => {
    const port = await engineWithMail();
    const searchMemory = createSearchMemory({ maxBytes: 12_000 });
    const names = Array.from({ length: 8 }, (_, at) => `inbox-${at}`);
    const inboxes = await Promise.all(names.map((inbox) => openMail(port, { inbox, searchMemory })));
    const most = { bytes: 0 };
    const watch = () => {
      most.bytes = Math.max(most.bytes, searchMemory.usedBytes);
      expect(searchMemory.usedBytes).toBeLessThanOrEqual(searchMemory.maxBytes);
    };
    for (let number = 0; number < 15; number++) {
      for (const mail of inboxes) {
        await mail.store(envelope, raw(number));
        watch();
      }
    }
    // Everything is counted and found twice: the second time from memory, if there is enough.
    for (const mail of [...inboxes, ...inboxes]) {
      expect(await mail.count()).toBe(15);
      for (const query of words) {
        const found = await mail.search({ kind: "containing", query }, { limit: 100, total: true });
        const expected = Array.from({ length: 15 }, (_, number) => number).filter(
          (number) => words[number % words.length] === query,
        );
        expect(found.total).toBe(expected.length);
        expect(found.items.map(({ subject }) => Number(subject)).sort((a, b) => a - b)).toEqual(expected);
        watch();
      }
    }
    // The limit was reached: one store alone stays far below it.
    expect(most.bytes).toBeGreaterThan(searchMemory.maxBytes * 0.8);
    for (const mail of inboxes) await mail.close();
    expect(searchMemory.usedBytes).toBe(0);
  });

  test("must share one that was created for it", async () => {
    const port = await engineWithMail();
    const opened = openMail(port, { searchMemory: { maxBytes: 1 } as never });
    await expect(opened).rejects.toSatisfy((error) => isMailError(error, "MAIL_OPTION_INVALID"));
  });
});

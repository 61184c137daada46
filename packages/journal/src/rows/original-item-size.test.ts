import { describe, expect, test } from "vitest";
import type { EventRow } from "./event-row.ts";
import { originalItemSize, originalSizeError } from "./original-item-size.ts";
import { encodeRow } from "./row-format.ts";

const row = (persistenceId: string, bytes: number, parts: Partial<EventRow> = {}): EventRow => ({
  kind: "event",
  persistenceId,
  sequenceNr: 1,
  payload: { serializerId: 4, manifest: "", bytes: new Uint8Array(bytes) },
  manifest: "",
  writerUuid: "295fa116-fa95-4f5b-af96-80d9861a898d",
  tags: [],
  staged: false,
  ...parts,
});

describe("the original's size of an item", () => {
  test("is reported in the plugin's words", () => {
    const event = row("too-large", 400_000);
    expect(originalItemSize(event, "journal", "event")).toBe(9 + 7 + 26 + 400_000 + 1 + 9 + 1 + 36);
    const error = originalSizeError(row("p-size-400", 400_000), "journal", "event", 400_000);
    expect(error?.message).toContain("MaxItemSize exceeded: 400091 > 400000");
    expect(error).toMatchObject({
      code: "JOURNAL_EVENT_TOO_LARGE",
      kind: "limit",
      details: { actual: 400_091, maximum: 400_000 },
    });
  });

  test("counts the key in characters and all else in bytes", () => {
    const plain = originalItemSize(row("pp", 5), "j", "event");
    expect(originalItemSize(row("üü", 5), "j", "event") - plain).toBe(2);
    expect(originalItemSize(row("pp", 5, { manifest: "ü" }), "j", "event") - plain).toBe(2);
    const payload = { serializerId: -77, manifest: "€", bytes: new Uint8Array(5) };
    expect(originalItemSize(row("pp", 5, { payload }), "j", "event") - plain).toBe(2 + 3);
    expect(originalItemSize(row("pp", 5, { sequenceNr: 1000 }), "j", "event") - plain).toBe(3);
  });

  test("of the format pay is that of the message", () => {
    const event = row("p", 5);
    const message = encodeRow(event, "pay")["pay"]?.B ?? expect.fail("no message");
    expect(originalItemSize(event, "journal", "pay")).toBe(1 + 7 + 26 + message.length);
  });

  test("may be exactly the limit, which may be another", () => {
    const size = originalItemSize(row("p", 100), "journal", "event");
    expect(originalSizeError(row("p", 100), "journal", "event", size)).toBeUndefined();
    expect(originalSizeError(row("p", 100), "journal", "event", size - 1)).toBeDefined();
  });
});

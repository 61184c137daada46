import { describe, expect, test } from "vitest";
import { mailhogPart } from "../../src/index.ts";
import { envelope } from "../../src/testing/mail-case.ts";
import { mailOnEngine } from "../engine-mail.ts";
import { largeMessages } from "./large-messages.ts";

/** Turns of the event loop that other work gets while this runs. */
async function turnsDuring<Result>(work: () => Promise<Result>): Promise<{ result: Result; turns: number }> {
  let turns = 0;
  let running = true;
  const tick = () => {
    turns++;
    if (running) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    return { result: await work(), turns };
  } finally {
    running = false;
  }
}

/** About one per MB; not every step has bytes of the message. */
const enough = 40;

const isMultipart = (raw: Buffer) => raw.subarray(0, 100).includes("multipart/mixed");
const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe.each(Object.entries(largeMessages))("a message of 48 MB, %s", (_name, make) => {
  test("leaves turns of the event loop to other work while it is stored, read, searched and shown", async () => {
    const raw = make();
    const { mail, port } = await mailOnEngine();
    const stored = await turnsDuring(() => mail.store(envelope, raw));
    expect(stored.turns).toBeGreaterThan(enough);

    const loaded = await turnsDuring(() => mail.load(stored.result.id));
    expect(loaded.turns).toBeGreaterThan(enough);
    const message = loaded.result;
    expect(message !== undefined && Buffer.compare(message.raw, raw) === 0).toBe(true);

    for (const [query, found] of [
      ["needle", 1],
      ["not there", 0],
    ] as const) {
      const search = { kind: "containing", query } as const;
      const searched = await turnsDuring(() => mail.search(search));
      expect(searched.result.items).toHaveLength(found);
      // It is read first.
      expect(searched.turns).toBeGreaterThan(2 * enough);
    }
    for (const kind of ["from", "to", "text", "sender", "recipient"] as const)
      expect((await mail.search({ kind, query: "not there" })).items).toEqual([]);

    let longest = 0;
    const shown = await turnsDuring(async () => {
      for (const chunk of message?.mailhogJson() ?? []) {
        longest = Math.max(longest, chunk.length);
        await nextTurn();
      }
    });
    expect(shown.turns).toBeGreaterThan(enough);
    // Every character may become an escape of six.
    expect(longest).toBeLessThanOrEqual(6 * 65_536);

    const part = await turnsDuring(() => mailhogPart(raw, 0));
    expect(part.result !== undefined).toBe(isMultipart(raw));
    if (isMultipart(raw)) expect(part.turns).toBeGreaterThan(enough);
    expect(await mail.deleteAll()).toBe(1);
    await mail.close();
    await port.close();
  });
});

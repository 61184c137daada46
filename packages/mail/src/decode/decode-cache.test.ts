import { afterAll, describe, expect, test } from "vitest";
import { openDecodeCache } from "./decode-cache.ts";
import { openDecoder } from "./open-decoder.ts";

const decoder = openDecoder({ timeoutMs: 60_000 });
afterAll(() => decoder.close());

/** Counts how often each message is loaded. */
function mailbox() {
  const loads: string[] = [];
  const load =
    (id: string, body = "x") =>
    async () => {
      loads.push(id);
      return Buffer.from(`Subject: ${id}\r\n\r\n${body}\r\n`);
    };
  return { loads, load };
}

describe("a cache of decoded messages", () => {
  test("loads and decodes a message once for all callers, concurrent and later", async () => {
    const { loads, load } = mailbox();
    const cache = openDecodeCache(decoder);
    const together = await Promise.all([1, 2, 3].map(() => cache.get("a", load("a"))));
    expect(new Set(together).size).toBe(1);
    expect((await cache.get("a", load("a"))).subject).toBe("a");
    expect(loads).toEqual(["a"]);
  });

  test("keeps the messages that were used last, within its number and bytes", async () => {
    const { loads, load } = mailbox();
    const few = openDecodeCache(decoder, { maxMessages: 2 });
    for (const id of ["a", "b", "a", "c", "a", "b"]) await few.get(id, load(id));
    expect(loads).toEqual(["a", "b", "c", "b"]);
    loads.length = 0;
    const small = openDecodeCache(decoder, { maxBytes: 30_000 });
    for (const id of ["a", "b", "c", "a"]) await small.get(id, load(id, "x".repeat(10_000)));
    expect(loads).toEqual(["a", "b", "c", "a"]);
    await small.get("large", load("large", "x".repeat(20_000)));
    await small.get("a", load("a"));
    expect(loads).toEqual(["a", "b", "c", "a", "large"]);
  });

  test("does not keep failures", async () => {
    const { loads, load } = mailbox();
    const cache = openDecodeCache(decoder);
    await expect(cache.get("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect((await cache.get("a", load("a"))).subject).toBe("a");
    expect(loads).toEqual(["a"]);
  });

  test("ends one caller without ending the work for the others", async () => {
    const { loads, load } = mailbox();
    const cache = openDecodeCache(decoder);
    const gone = new AbortController();
    const first = cache.get("a", load("a"), { signal: gone.signal });
    const second = cache.get("a", load("a"));
    gone.abort(new Error("gone"));
    await expect(first).rejects.toThrow("gone");
    expect((await second).subject).toBe("a");
    expect(loads).toEqual(["a"]);
  });
});

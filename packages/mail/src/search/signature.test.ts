import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mayContain, queryHashes, signatureOf } from "./signature.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.string({ unit: "grapheme", maxLength: 400 }),
);

const signed = (texts: readonly string[]) => signatureOf({ texts }) ?? assert.fail("there is no signature");

const chance = (outputLength: number) => createHash("shake256", { outputLength }).update("chance").digest();

describe("a signature", () => {
  test("never excludes a substring of its text", () => {
    const property = fc.property(
      fc.array(text, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.nat(60),
      (texts, at, length) => {
        const whole = texts[at % texts.length] ?? "";
        const start = at % (whole.length + 1);
        expect(mayContain(signed(texts), queryHashes(whole.slice(start, start + length)))).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 2000 });
  });

  test("excludes nearly all words that a message does not contain", () => {
    let state = 7;
    const next = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 8;
    };
    const letters = "etaoinshrdlucmfwypvbgk";
    const word = () => Array.from({ length: 3 + (next() % 7) }, () => letters[next() % 20]).join("");
    const vocabulary = Array.from({ length: 500 }, word);
    const mail = Array.from({ length: 1500 }, () => vocabulary[next() % 500]).join(" ");
    const signature = signed([mail]);
    const foreign = Array.from({ length: 1000 }, () => `${word()}${word()}`).filter(
      (each) => !mail.includes(each),
    );
    const wrong = foreign.filter((each) => mayContain(signature, queryHashes(each)));
    expect(signature.length).toBeLessThanOrEqual(1024);
    expect(wrong.length).toBeLessThan(foreign.length / 10);
  });

  test("is small for a short text, and bounded for any", () => {
    expect(signed(["hello"]).length).toBe(64);
    expect(signed([chance(40_000).toString("utf16le")]).length).toBe(4096);
  });

  test("is the same for bytes of ASCII and for their folded text", () => {
    const ascii = fc.oneof(
      fc.uint8Array({ max: 127, maxLength: 400 }),
      fc.nat().map((seed) => Buffer.from(`Word${seed} and More\r\n`.repeat(3000))),
    );
    const property = fc.property(ascii, (bytes) => {
      const text = Buffer.from(bytes).toString("latin1").toLowerCase();
      expect(signatureOf({ texts: [], ascii: bytes })).toEqual(signatureOf({ texts: [text] }));
    });
    fc.assert(property, { numRuns: 60 });
  });

  test("is omitted if it would match nearly everything", () => {
    expect(signatureOf({ texts: [chance(400_000).toString("utf16le")] })).toBeUndefined();
    const base64 = Buffer.from(chance(200_000).toString("base64"));
    expect(signatureOf({ texts: [], ascii: base64 })).toBeUndefined();
  });

  test("matches every query of fewer than three characters", () => {
    expect(queryHashes("ab")).toHaveLength(0);
    expect(mayContain(signed([""]), queryHashes("ab"))).toBe(true);
  });
});

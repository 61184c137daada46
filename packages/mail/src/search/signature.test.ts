import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mayContain, queryHashes, signatureOf } from "./signature.ts";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.string({ unit: "grapheme", maxLength: 400 }),
);

describe("a signature", () => {
  test("never denies a part of what it was made of", () => {
    const property = fc.property(
      fc.array(text, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      fc.nat(60),
      (texts, at, length) => {
        const whole = texts[at % texts.length] ?? "";
        const start = at % (whole.length + 1);
        expect(mayContain(signatureOf(texts), queryHashes(whole.slice(start, start + length)))).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 2000 });
  });

  test("denies nearly all words that a mail does not hold", () => {
    let state = 7;
    const next = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 8;
    };
    const letters = "etaoinshrdlucmfwypvbgk";
    const word = () => Array.from({ length: 3 + (next() % 7) }, () => letters[next() % 20]).join("");
    const vocabulary = Array.from({ length: 500 }, word);
    const mail = Array.from({ length: 1500 }, () => vocabulary[next() % 500]).join(" ");
    const signature = signatureOf([mail]);
    const foreign = Array.from({ length: 1000 }, () => `${word()}${word()}`).filter(
      (each) => !mail.includes(each),
    );
    const wrong = foreign.filter((each) => mayContain(signature, queryHashes(each)));
    expect(signature.length).toBeLessThanOrEqual(1024);
    expect(wrong.length).toBeLessThan(foreign.length / 10);
  });

  test("is small for a short text, and bounded for any", () => {
    expect(signatureOf(["hello"]).length).toBe(64);
    const all = Array.from({ length: 200_000 }, (_, at) => String.fromCharCode(at % 60_000)).join("");
    expect(signatureOf([all]).length).toBe(4096);
  });

  test("cannot tell about fewer than three characters", () => {
    expect(queryHashes("ab")).toHaveLength(0);
    expect(mayContain(signatureOf([""]), queryHashes("ab"))).toBe(true);
  });
});

import { maxItemBytes } from "@tablekeep/core";
import { seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { checkUpdated, checkValue } from "./check-item.ts";

/** The definition, character by character: groups of four, the last one padded. */
function isBase64(text: string): boolean {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const characters = Array.from(text.slice(0, text.length - padding));
  return text.length % 4 === 0 && characters.every((character) => /^[A-Za-z0-9+/]$/.test(character));
}

function isAccepted(text: string): boolean {
  try {
    return "B" in checkValue({ B: text });
  } catch {
    return false;
  }
}

const foreign = ["=", "==", "-", "_", " ", "\n", "\0", "é", "Ł", "ā", "日", "🦊", ".", "A", "AB", "ABC", ""];

describe("base64 of a binary value", () => {
  test.each([1, 2, 3, 180, 190, 191, 192, 193, 5000])("%i bytes: accepts exactly base64", (length) => {
    const random = seededRandom(length);
    for (let run = 0; run < 100; run++) {
      const text = Buffer.from(Array.from({ length }, () => random.int(0, 255))).toString("base64");
      expect(isAccepted(text)).toBe(true);
      const at = random.pick([0, text.length - 1, text.length, random.int(0, text.length)]);
      const cut = random.int(0, 4);
      const changed = text.slice(0, at) + random.pick(foreign) + text.slice(at + cut);
      expect([changed, isAccepted(changed)]).toEqual([changed, isBase64(changed)]);
    }
  });

  test("rejects a long value that ends with three padding characters", () => {
    expect(isAccepted(`${"A".repeat(1001)}===`)).toBe(false);
    expect(isAccepted(`${"A".repeat(1000)}====`)).toBe(false);
  });

  test("of more than any item may have is accepted and rejected as any other", () => {
    const long = "A".repeat(8_000_000);
    expect(isAccepted(long)).toBe(true);
    expect(isAccepted(`${long}AA==`)).toBe(true);
    for (const end of ["A", "AA", "AA=", "A===", "====", "AA-A", "AA_A", "AA A", "AAAŁ"]) {
      expect([end, isAccepted(long + end)]).toEqual([end, false]);
      expect([end, isAccepted(end + long)]).toEqual([end, false]);
    }
  });

  test("clears the unused bits of a long value", () => {
    expect(checkValue({ B: `${"A".repeat(1002)}B=` })).toEqual({ B: `${"A".repeat(1002)}A=` });
  });
});

test("of an update's result that is too large, the rest is not walked", () => {
  const { size, item } = checkUpdated({ a: { S: "x".repeat(maxItemBytes) }, b: {} as never });
  expect([size, Object.keys(item)]).toEqual([maxItemBytes + 1, ["a"]]);
});

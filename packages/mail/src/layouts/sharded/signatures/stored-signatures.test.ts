import { expect, test } from "vitest";
import { createSearchMemory } from "../../../model/search-memory.ts";
import { queryHashes, signatureOf } from "../../../search/signature.ts";
import type { Hour } from "../hours/hours.ts";
import { idsThatMayMatch } from "./signature-page.ts";
import { newestFirst, storedSignatures } from "./stored-signatures.ts";

const name = { era: "00000000", hour: "2050-01-01T09" };
const hour = (writers: readonly string[]) => ({ ...name, writers }) as unknown as Hour;
const signed = (text: string) => ({ all: { B: signatureOf({ texts: [text] }) as Uint8Array } });

test("ids that match are found newest first, although messages were stored in another order", () => {
  const stored = storedSignatures("me", 1e9, createSearchMemory());
  const expected: string[] = [];
  for (let n = 0; n < 1500; n++) {
    // Neighbors change places, also across pages.
    const id = String((n ^ 3) + 10_000);
    if (n % 3 === 0) expected.push(id);
    stored.add(name, id, signed(n % 3 === 0 ? "an invoice" : "a letter"));
  }
  const hashes = queryHashes("invoice");
  const pages = stored.of(hour(["me"])) ?? [];
  expect(pages.length).toBe(3);
  const found = [...newestFirst(pages, (page) => idsThatMayMatch(page, hashes, false))].flat();
  expect(found).toEqual(expected.sort().reverse());
});

test("signatures are not complete if another instance stores messages, or if some were dropped", () => {
  const stored = storedSignatures("me", 1000, createSearchMemory());
  stored.add(name, "1", signed("text"));
  expect(stored.of(hour(["me"]))).toHaveLength(1);
  expect(stored.of(hour(["me", "you"]))).toBeUndefined();
  expect(stored.of({ ...hour(["me"]), era: "00000001" })).toBeUndefined();
  for (let n = 2; n < 600; n++) stored.add(name, String(n), signed("text"));
  expect(stored.of(hour(["me"]))).toBeUndefined();
});

test("hours of a few messages count as well, and those of earlier eras are dropped", () => {
  const letter = signed("text");
  const hourOf = (n: number) => ({ era: name.era, hour: String(n).padStart(3, "0") });
  const few = storedSignatures("me", 20_000, createSearchMemory());
  for (let n = 0; n < 400; n++) few.add(hourOf(n), "1", letter);
  const known = Array.from({ length: 400 }, (_, n) => few.of({ ...hour(["me"]), ...hourOf(n) }));
  expect(known[399]).toHaveLength(1);
  expect(known.filter((pages) => pages !== undefined).length).toBeLessThan(70);

  const eras = storedSignatures("me", 20_000, createSearchMemory());
  const later = { ...name, era: "00000001" };
  eras.add(name, "1", letter);
  eras.add(later, "2", letter);
  eras.add(name, "3", letter);
  expect(eras.of(hour(["me"]))).toBeUndefined();
  expect(eras.of({ ...hour(["me"]), ...later })?.map(({ ids }) => ids)).toEqual([["2"]]);
});

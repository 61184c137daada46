import type { Item } from "@tablekeep/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { queryHashes, signatureOf } from "../../../search/signature.ts";
import type { Hour } from "../hours/hours.ts";
import {
  blockPut,
  idsInBlock,
  missingParts,
  partItems,
  readBlock,
  signatureBlock,
} from "./signature-blocks.ts";
import { idsThatMayMatch, signaturePage } from "./signature-page.ts";

const hour = { era: "0", hour: "2050010109", endsAt: 0 } as Hour;
const version = { late: 0, removed: 0 };
const range = { from: "0", before: "~", exact: true, phrases: "" };

const text = fc.array(fc.constantFrom("plum", "pear", "quince", "fig", "medlar", "sloe"), { maxLength: 40 });
const varied = fc
  .tuple(text, fc.nat(500), fc.nat(900))
  .map(([words, from, count]) =>
    [...words, ...Array.from({ length: count }, (_, at) => ((from + at) * 7919).toString(36))].join(" "),
  );
const signed = fc.oneof(
  varied.map((value): Item => ({ all: { B: signatureOf({ texts: [value] }) ?? new Uint8Array(64) } })),
  varied.map((value): Item => ({ text: { B: signatureOf({ texts: [value] }) ?? new Uint8Array(64) } })),
  // None, and one of a size that none has.
  fc.constantFrom<Item>({}, { all: { B: new Uint8Array(100) } }),
);

test.each([1, 200])("a block finds what its signatures find, %i at a time", (copies) => {
  const queries = fc.array(fc.constantFrom("plum", "pear quince", "medlar", "xyzzy", "pl", ""), {
    minLength: 1,
  });
  fc.assert(
    fc.property(
      fc.array(signed, { minLength: 1, maxLength: 20 }),
      queries,
      fc.boolean(),
      (each, words, decoded) => {
        const all = Array.from({ length: copies }, () => each).flat();
        const items = all.map((item, at): Item => ({ ...item, sk: { S: String(at).padStart(26, "0") } }));
        const made = signatureBlock(version, range, items);
        const read = readBlock(blockPut({ table: "mail" }, hour, made).Item);
        if (read === undefined) throw new Error("the block cannot be read");
        expect(read.exact).toBe(true);
        const parts = new Map(partItems(hour, made).map((item) => [item["sk"]?.S, item]));
        // A signature of another size is not used by a block.
        const plain = items.map((item) =>
          item["all"]?.B?.length === 100 ? { sk: item["sk"] } : item,
        ) as Item[];
        const page = signaturePage(plain.toReversed());
        for (const word of words) {
          const hashes = queryHashes(word);
          for (const part of missingParts(hour, read, hashes, decoded))
            expect(part.add(parts.get(part.key["sk"]?.S))).toBe(true);
          const found = idsInBlock(read, hashes, decoded);
          expect(found).toEqual(idsThatMayMatch(page, hashes, decoded));
        }
      },
    ),
    { numRuns: copies === 1 ? 200 : 15 },
  );
});

test("a long query compares some of its bits, and misses nothing", () => {
  const query = "a sentence that is much longer than most queries, of which ten bits are enough";
  const items = [`before ${query} after`, "something else"].map(
    (value, at): Item => ({
      sk: { S: String(at).padStart(26, "0") },
      all: { B: signatureOf({ texts: [value] }) as Uint8Array },
    }),
  );
  const block = signatureBlock(version, range, items);
  expect(idsInBlock(block, queryHashes(query), false)).toEqual([items[0]?.["sk"]?.S]);
});

import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { overviewBytes } from "../../../search/overview.ts";
import { chunkCutter } from "./chunk-cutter.ts";
import { chunkBytes } from "./chunk-item.ts";

const bytes = randomBytes(overviewBytes + 3 * chunkBytes);

test.each([0, 1, 60_000, chunkBytes, chunkBytes + 1, overviewBytes, overviewBytes + 1, bytes.length])(
  "%d bytes are cut into equal chunks, however they come",
  async (size) => {
    const whole = bytes.subarray(0, size);
    const cut = async (pieceBytes: number) => {
      const cutter = chunkCutter();
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < size; at += pieceBytes) {
        const piece = Buffer.from(whole.subarray(at, at + pieceBytes));
        await cutter.add(piece, async (chunk) => void chunks.push(chunk));
        piece.fill(0);
      }
      expect(chunks.every(({ length }) => length === chunkBytes)).toBe(true);
      const last = cutter.last();
      expect(last.length > 0).toBe(size > 0);
      expect(Buffer.concat([...chunks, last]).equals(whole)).toBe(true);
      expect(whole.subarray(0, overviewBytes).equals(cutter.head())).toBe(true);
    };
    const property = fc.asyncProperty(fc.integer({ min: 9_000, max: 400_000 }), cut);
    await fc.assert(property, { numRuns: 10, examples: [[65_536], [chunkBytes], [1 + size]] });
  },
);

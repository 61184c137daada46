import { expect, test } from "vitest";
import { decodeLz4Block } from "./lz4-block.ts";

test("a block that the lz4 program wrote is unpacked, matches that run into themselves too", () => {
  const text = `hello hello hello hello hello, LZ4 block\n${"abc".repeat(15)}`;
  const block = "6f68656c6c6f20060004ff002c204c5a3420626c6f636b0a6162630300125062636162" + "63";
  expect(Buffer.from(decodeLz4Block(Buffer.from(block, "hex"), text.length)).toString()).toBe(text);
});

test("long runs count on in further bytes", () => {
  // One letter, and a match of 15 + 255 + 255 + 10 + 4 bytes at distance 1; then five letters to end with.
  const block = Buffer.from("1f610100ffff0a506262626262", "hex");
  const text = `${"a".repeat(1 + 539)}bbbbb`;
  expect(Buffer.from(decodeLz4Block(block, text.length)).toString()).toBe(text);
});

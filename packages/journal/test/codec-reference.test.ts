import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { akkaReads } from "../src/codecs/akka-line.ts";
import { builtInCodecs } from "../src/codecs/built-in-codecs.ts";
import { createCodecs } from "../src/codecs/create-codecs.ts";
import { akkaSerializers, ownSerializers } from "../src/codecs/serializer-ids.ts";
import { isJournalError } from "../src/errors/journal-error.ts";

const page = readFileSync(new URL("../../../docs/reference/codecs.md", import.meta.url), "utf8");
const documented = page
  .slice(0, page.indexOf("## "))
  .split("\n")
  .filter((line) => /^\| `\d/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim().replaceAll("`", "")),
  );

describe("docs/reference/codecs.md", () => {
  test("lists which Akka reads what, as a journal shared with Akka checks it", () => {
    for (const { id, akkaReads: says } of builtInCodecs) {
      const lines = (["2.5", "2.6"] as const).filter((line) => akkaReads(line, id));
      const told =
        says === "no" ? [] : says === "all" ? ["2.5", "2.6"] : says === "up to 2.5" ? ["2.5"] : ["2.6"];
      expect([id, lines]).toEqual([id, told]);
    }
  });

  test("lists the built-in serializers as they are", () => {
    const rows = builtInCodecs.map(({ id, name, payload, written, akkaReads }) => [
      String(id),
      name,
      payload,
      written ? "yes" : "no",
      akkaReads,
    ]);
    expect(documented).toEqual(rows);
  });

  test("which are all that there are", () => {
    const ids = [...Object.values(akkaSerializers), ...Object.values(ownSerializers)];
    expect(builtInCodecs.map(({ id }) => id)).toEqual(ids.toSorted((a, b) => a - b));
  });
});

const samples = new Map<number, unknown>([
  [akkaSerializers.null, null],
  [akkaSerializers.java, "1"],
  [akkaSerializers.bytes, Uint8Array.of(1)],
  [akkaSerializers.long, 1n],
  [akkaSerializers.int, 1],
  [akkaSerializers.string, "1"],
  [akkaSerializers.byteString, Uint8Array.of(1)],
  [akkaSerializers.jacksonJson, {}],
  [akkaSerializers.boolean, true],
  [ownSerializers.json, {}],
]);

// Those of compressed, encrypted and removed payloads and of large snapshots are made of others, and are not chosen.
const ofOthers: readonly number[] = [
  ownSerializers.compressed,
  ownSerializers.chunked,
  ownSerializers.encrypted,
  ownSerializers.expired,
];

test.each(builtInCodecs.filter(({ id }) => !ofOthers.includes(id)))(
  "serializer $id ($name) is written: $written",
  ({ id, written, akkaReads }) => {
    const manifest = akkaReads.includes("class") || id > 100 ? "com.acme.Class" : "";
    let wrote = true;
    try {
      const encoded = createCodecs().encode(samples.get(id), { serializerId: id, manifest });
      expect(createCodecs().decode(encoded)).toEqual(samples.get(id));
    } catch (error) {
      if (!isJournalError(error, "JOURNAL_SERIALIZER_UNKNOWN")) throw error;
      wrote = false;
    }
    expect(wrote).toBe(written);
  },
);

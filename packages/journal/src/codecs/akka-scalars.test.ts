import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { journalErrorOf } from "../../test/journal-error-of.ts";
import { createCodecs } from "./create-codecs.ts";

const codecs = createCodecs();
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const decoded = (serializerId: number, bytes: string) =>
  codecs.decode({ serializerId, manifest: "", bytes: Buffer.from(bytes, "hex") });

describe("Akka's single values, byte for byte", () => {
  test.each([
    [0, null, ""],
    [4, Uint8Array.of(0, 1, 255), "0001ff"],
    [18, 9_007_199_254_740_993n, "0100000000002000"],
    [18, -5n, "fbffffffffffffff"],
    [18, -(2n ** 63n), "0000000000000080"],
    [19, 42, "2a000000"],
    [19, -42, "d6ffffff"],
    [19, -(2 ** 31), "00000080"],
    [20, "", ""],
    [20, "ü€😀\u0000", "c3bce282acf09f988000"],
    [20, "\ufeffbom", "efbbbf626f6d"],
    [21, Uint8Array.of(9, 8), "0908"],
    [35, true, "01"],
    [35, false, "00"],
  ])("serializer %i writes %s and reads it again", (serializerId, payload, bytes) => {
    const encoded = codecs.encode(payload, { serializerId });
    expect(hex(encoded.bytes)).toBe(bytes);
    expect(encoded).toMatchObject({ serializerId, manifest: "" });
    expect(decoded(serializerId, bytes)).toEqual(payload);
  });

  test.each([
    [18, "00"],
    [18, "000000000000000000"],
    [19, "000000"],
    [20, "ff"],
    [20, "eda0bd"],
    [35, ""],
    [35, "02"],
    [0, "00"],
  ])("serializer %i does not read %s", (serializerId, bytes) => {
    const error = journalErrorOf(() => decoded(serializerId, bytes));
    expect(error).toMatchObject({ code: "JOURNAL_PAYLOAD_CORRUPT", details: { serializerId } });
  });

  test.each([
    [0, undefined],
    [4, "text"],
    [18, 5],
    [18, 2n ** 63n],
    [18, -(2n ** 63n) - 1n],
    [19, 2 ** 31],
    [19, 1.5],
    [19, -0],
    [19, Number.NaN],
    [20, 5],
    [20, "half \ud83d"],
    [35, 1],
  ])("serializer %i does not write %s", (serializerId, payload) => {
    const error = journalErrorOf(() => codecs.encode(payload, { serializerId }));
    expect(error).toMatchObject({
      code: "JOURNAL_PAYLOAD_REFUSED",
      details: { serializerId, path: "payload" },
    });
  });

  test("accept no manifest: Akka would search for a class of that name", () => {
    const error = journalErrorOf(() => codecs.encode("text", { serializerId: 20, manifest: "Text" }));
    expect(error.code).toBe("JOURNAL_PAYLOAD_REFUSED");
  });

  test("bytes of a port's Buffer are read as a plain Uint8Array", () => {
    expect(decoded(4, "0102")).toStrictEqual(Uint8Array.of(1, 2));
  });

  test("are chosen by the payload's type and come back as they were", () => {
    const values = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.uint8Array(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(values, (value) => {
        const { serializerId, manifest, bytes } = codecs.encode(value);
        const stored = { serializerId, manifest, bytes: Uint8Array.from(bytes) };
        expect(codecs.decode(stored)).toStrictEqual(value);
      }),
    );
  });
});

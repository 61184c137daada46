import { describe, expect, test } from "vitest";
import { createCodecs } from "./create-codecs.ts";

const codecs = createCodecs();
const encoded = (base64: string) => ({ serializerId: 1, manifest: "", bytes: Buffer.from(base64, "base64") });

// Written by java.io.ObjectOutputStream of Java 17.
describe("Java serialization", () => {
  test.each<[string, unknown, string]>([
    ["an empty string", "", "rO0ABXQAAA=="],
    ["a string", "a-0001", "rO0ABXQABmEtMDAwMQ=="],
    ["a string with zero and beyond", "\0 ü € 😀", "rO0ABXQAEMCAIMO8IOKCrCDtoL3tuIA="],
    ["half a surrogate pair", "half \ud83d", "rO0ABXQACGhhbGYg7aC9"],
    ["null", null, "rO0ABXA="],
    [
      "Long",
      9_007_199_254_740_993n,
      "rO0ABXNyAA5qYXZhLmxhbmcuTG9uZzuL5JDMjyPfAgABSgAFdmFsdWV4cgAQamF2YS5sYW5nLk51bWJlcoaslR0LlOCLAgAAeHAAIAAAAAAAAQ==",
    ],
    [
      "the least Long",
      -(2n ** 63n),
      "rO0ABXNyAA5qYXZhLmxhbmcuTG9uZzuL5JDMjyPfAgABSgAFdmFsdWV4cgAQamF2YS5sYW5nLk51bWJlcoaslR0LlOCLAgAAeHCAAAAAAAAAAA==",
    ],
    [
      "Integer",
      -42,
      "rO0ABXNyABFqYXZhLmxhbmcuSW50ZWdlchLioKT3gYc4AgABSQAFdmFsdWV4cgAQamF2YS5sYW5nLk51bWJlcoaslR0LlOCLAgAAeHD////W",
    ],
    ["true", true, "rO0ABXNyABFqYXZhLmxhbmcuQm9vbGVhbs0gcoDVnPruAgABWgAFdmFsdWV4cAE="],
    ["false", false, "rO0ABXNyABFqYXZhLmxhbmcuQm9vbGVhbs0gcoDVnPruAgABWgAFdmFsdWV4cAA="],
    [
      "Double",
      1.5,
      "rO0ABXNyABBqYXZhLmxhbmcuRG91YmxlgLPCSilr+wQCAAFEAAV2YWx1ZXhyABBqYXZhLmxhbmcuTnVtYmVyhqyVHQuU4IsCAAB4cD/4AAAAAAAA",
    ],
    [
      "Float",
      1.5,
      "rO0ABXNyAA9qYXZhLmxhbmcuRmxvYXTa7cmi2zzw7AIAAUYABXZhbHVleHIAEGphdmEubGFuZy5OdW1iZXKGrJUdC5TgiwIAAHhwP8AAAA==",
    ],
    [
      "Short",
      -7,
      "rO0ABXNyAA9qYXZhLmxhbmcuU2hvcnRoTTcTNGDaUgIAAVMABXZhbHVleHIAEGphdmEubGFuZy5OdW1iZXKGrJUdC5TgiwIAAHhw//k=",
    ],
    [
      "Byte",
      -7,
      "rO0ABXNyAA5qYXZhLmxhbmcuQnl0ZZxOYITuUPUcAgABQgAFdmFsdWV4cgAQamF2YS5sYW5nLk51bWJlcoaslR0LlOCLAgAAeHD5",
    ],
    ["Character", "€", "rO0ABXNyABNqYXZhLmxhbmcuQ2hhcmFjdGVyNItH2WsaJngCAAFDAAV2YWx1ZXhwIKw="],
  ])("reads %s", (_name, value, base64) => {
    expect(codecs.decode(encoded(base64))).toStrictEqual(value);
  });

  // By the same tool; Float, Short, Byte and Character are read only.
  test.each<[string, unknown, string]>([
    ["an empty string", "", "rO0ABXQAAA=="],
    ["a string with zero and beyond", "\0 ü € 😀", "rO0ABXQAEMCAIMO8IOKCrCDtoL3tuIA="],
    ["half a surrogate pair", "half \ud83d", "rO0ABXQACGhhbGYg7aC9"],
    [
      "Long",
      9_007_199_254_740_993n,
      "rO0ABXNyAA5qYXZhLmxhbmcuTG9uZzuL5JDMjyPfAgABSgAFdmFsdWV4cgAQamF2YS5sYW5nLk51bWJlcoaslR0LlOCLAgAAeHAAIAAAAAAAAQ==",
    ],
    [
      "Integer",
      -42,
      "rO0ABXNyABFqYXZhLmxhbmcuSW50ZWdlchLioKT3gYc4AgABSQAFdmFsdWV4cgAQamF2YS5sYW5nLk51bWJlcoaslR0LlOCLAgAAeHD////W",
    ],
    ["true", true, "rO0ABXNyABFqYXZhLmxhbmcuQm9vbGVhbs0gcoDVnPruAgABWgAFdmFsdWV4cAE="],
    ["false", false, "rO0ABXNyABFqYXZhLmxhbmcuQm9vbGVhbs0gcoDVnPruAgABWgAFdmFsdWV4cAA="],
    [
      "Double",
      1.5,
      "rO0ABXNyABBqYXZhLmxhbmcuRG91YmxlgLPCSilr+wQCAAFEAAV2YWx1ZXhyABBqYXZhLmxhbmcuTnVtYmVyhqyVHQuU4IsCAAB4cD/4AAAAAAAA",
    ],
    // As java.io.ObjectOutputStream writes byte[]: class [B, version -5984413125824719648, length, bytes.
    ["a byte array", Uint8Array.of(1, 2, 255), "rO0ABXVyAAJbQqzzF/gGCFTgAgAAeHAAAAADAQL/"],
  ])("writes %s as Java does", (_name, value, base64) => {
    const written = codecs.encode(value, { serializerId: 1 });
    expect(Buffer.from(written.bytes).toString("base64")).toBe(base64);
    expect(codecs.decode(written)).toStrictEqual(value);
  });

  test("writes what it reads: strings of any length, and numbers of any kind", () => {
    for (const value of ["€".repeat(21_845), "€".repeat(21_846), 0, -0, 2 ** 31, 2 ** 53, 0.1, -(2n ** 63n)])
      expect(codecs.decode(codecs.encode(value, { serializerId: 1 }))).toBe(value);
  });

  test.each([null, {}, [], Number.NaN, 2n ** 63n, undefined])("rejects %s", (value) => {
    expect(() => codecs.encode(value, { serializerId: 1 })).toThrow(
      expect.objectContaining({ code: "JOURNAL_PAYLOAD_REFUSED" }),
    );
  });

  test("reads strings of more than 65535 bytes", () => {
    const letters = Buffer.from("€".repeat(30_000));
    const head = Buffer.from("aced00057c0000000000015f90", "hex");
    const long = { serializerId: 1, manifest: "", bytes: Buffer.concat([head, letters]) };
    expect(codecs.decode(long)).toBe("€".repeat(30_000));
  });

  test.each([
    ["an array", "rO0ABXVyAAJbSU26YCZ26rKlAgAAeHAAAAABAAAAAQ=="],
    ["a class that writes itself", "rO0ABXNyAA5qYXZhLnV0aWwuRGF0ZWhqgQFLWXQZAwAAeHB3CAAAAAAAAAAAeA=="],
    [
      "an enum",
      "rO0ABX5yAB1qYXZhLnV0aWwuY29uY3VycmVudC5UaW1lVW5pdAAAAAAAAAAAEgAAeHIADmphdmEubGFuZy5FbnVtAAAAAAAAAAASAAB4cHQABERBWVM=",
    ],
    [
      "an object of plain fields",
      "rO0ABXNyAC1ha2thLnBlcnNpc3RlbmNlLnNlcmlhbGl6YXRpb24uU25hcHNob3RIZWFkZXIAAAAAAAAAAQIAAkkADHNlcmlhbGl6ZXJJZEwACG1hbmlmZXN0dAAOTHNjYWxhL09wdGlvbjt4cAAAABRzcgALc2NhbGEuTm9uZSRGUCT2U8qUrAIAAHhyAAxzY2FsYS5PcHRpb27+aTf92w5mdAIAAHhw",
    ],
    ["two strings", "rO0ABXQAAWF0AAFi"],
    ["a string that ends too early", "rO0ABXQABWE="],
    ["another version of the format", "rO0ABnQAAWE="],
    ["nothing", ""],
  ])("leaves %s as bytes", (_name, base64) => {
    const payload = encoded(base64);
    expect(codecs.decode(payload)).toBe(payload);
  });
});

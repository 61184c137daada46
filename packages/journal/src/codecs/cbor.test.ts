import { describe, expect, test } from "vitest";
import { MalformedBytes, UnsupportedBytes } from "./bytes.ts";
import { decodeCbor } from "./cbor.ts";

const read = (hex: string) => decodeCbor(Buffer.from(hex, "hex"));

describe("CBOR", () => {
  // The examples of RFC 8949, appendix A.
  test.each<[string, unknown]>([
    ["00", 0],
    ["17", 23],
    ["1818", 24],
    ["1903e8", 1000],
    ["1a000f4240", 1_000_000],
    ["1b000000e8d4a51000", 1_000_000_000_000],
    ["1bffffffffffffffff", 18_446_744_073_709_551_615n],
    ["c249010000000000000000", 18_446_744_073_709_551_616n],
    ["3bffffffffffffffff", -18_446_744_073_709_551_616n],
    ["c349010000000000000000", -18_446_744_073_709_551_617n],
    ["20", -1],
    ["3903e7", -1000],
    ["f90000", 0],
    ["f98000", -0],
    ["f93c00", 1],
    ["fb3ff199999999999a", 1.1],
    ["f93e00", 1.5],
    ["f97bff", 65_504],
    ["fa47c35000", 100_000],
    ["fa7f7fffff", 3.402_823_466_385_288_6e38],
    ["fb7e37e43c8800759c", 1e300],
    ["f90001", 2 ** -24],
    ["f9c400", -4],
    ["f97c00", Number.POSITIVE_INFINITY],
    ["f97e00", Number.NaN],
    ["f9fc00", Number.NEGATIVE_INFINITY],
    ["f4", false],
    ["f5", true],
    ["f6", null],
    ["f7", undefined],
    ["c074323031332d30332d32315432303a30343a30305a", "2013-03-21T20:04:00Z"],
    ["c11a514b67b0", 1_363_896_240],
    ["d818456449455446", Uint8Array.of(0x64, 0x49, 0x45, 0x54, 0x46)],
    ["40", new Uint8Array()],
    ["4401020304", Uint8Array.of(1, 2, 3, 4)],
    ["6449455446", "IETF"],
    ["62225c", '"\\'],
    ["62c3bc", "ü"],
    ["64f0908591", "𐅑"],
    ["80", []],
    ["8301820203820405", [1, [2, 3], [4, 5]]],
    ["a0", {}],
    ["a201020304", { 1: 2, 3: 4 }],
    ["a26161016162820203", { a: 1, b: [2, 3] }],
    ["5f42010243030405ff", Uint8Array.of(1, 2, 3, 4, 5)],
    ["7f657374726561646d696e67ff", "streaming"],
    ["9fff", []],
    ["9f018202039f0405ffff", [1, [2, 3], [4, 5]]],
    ["83018202039f0405ff", [1, [2, 3], [4, 5]]],
    ["bf61610161629f0203ffff", { a: 1, b: [2, 3] }],
    ["826161bf61626163ff", ["a", { b: "c" }]],
    ["bf6346756ef563416d7421ff", { Fun: true, Amt: -2 }],
  ])("%s is read", (hex, value) => {
    expect(read(hex)).toStrictEqual(value);
  });

  test("decimals, as Jackson writes them, are the nearest number", () => {
    expect(read("c48221196ab3")).toBe(273.15);
    expect(read("c48221c24406ab3a01")).toBe(Number("111884801e-2"));
  });

  test("__proto__ is a name like any other", () => {
    const value = read("a1695f5f70726f746f5f5fa0") as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test.each([
    "", // nothing
    "0000", // more than one
    "18", // cut
    "1c", // a reserved length
    "62c3", // cut text
    "61ff", // no UTF-8
    "9b00ffffffffffffff", // more elements than bytes
    "bb00ffffffffffffff",
    "5bffffffffffffffff",
    "ff", // a break alone
    "81ff",
    "a1ff00",
    "bf00ff", // a name without a value
    "5f6101ff", // text among bytes
    "5f5fffff",
    "c20", // half a byte
    "c26100", // a big number of text
    "c4820000ff",
    "c461",
  ])("%s is malformed", (hex) => {
    expect(() => read(hex)).toThrow(MalformedBytes);
  });

  test.each([
    "d81900", // a string by its number
    "d9010080",
    "f820", // an unassigned simple value
    "a14000", // bytes as a name
    `c2590401${"ff".repeat(1025)}`, // a number of 1025 bytes
    `${"81".repeat(600)}00`,
  ])("%s is not supported", (hex) => {
    expect(() => read(hex)).toThrow(UnsupportedBytes);
  });
});

import { describe, expect, test } from "vitest";

const bytes = () => Uint8Array.of(1, 2, 3);

describe("bytes in assertions", () => {
  test("are equal if all of them are, at any depth", () => {
    expect(bytes()).toEqual(bytes());
    expect({ B: bytes(), list: [bytes()] }).toStrictEqual({ B: bytes(), list: [bytes()] });
    expect({ B: Buffer.from(bytes()), more: 1 }).toMatchObject({ B: Buffer.from(bytes()) });
    expect([{ B: bytes() }]).toContainEqual({ B: bytes() });
  });

  test.each([
    ["another byte", Uint8Array.of(1, 2, 4)],
    ["a byte less", Uint8Array.of(1, 2)],
    ["a byte more", Uint8Array.of(1, 2, 3, 0)],
    ["none", new Uint8Array()],
    ["a Buffer of the same bytes", Buffer.from(bytes())],
    ["larger numbers", Uint16Array.of(1, 2, 3)],
    ["a list of the same numbers", [1, 2, 3]],
    ["nothing", undefined],
  ])("are not equal to %s", (_name, other) => {
    expect(bytes()).not.toEqual(other);
    expect({ B: bytes() }).not.toStrictEqual({ B: other });
    expect({ B: bytes() }).not.toMatchObject({ B: other });
    expect({ B: other }).not.toEqual({ B: bytes() });
  });

  test("are compared with matchers too", () => {
    expect({ B: bytes() }).toEqual({ B: expect.any(Uint8Array) });
    expect({ B: bytes() }).not.toEqual({ B: expect.any(Buffer) });
  });

  test("are compared quickly, however many there are", () => {
    const items = () =>
      Array.from({ length: 100 }, (_unused, at) => ({ B: new Uint8Array(100_000).fill(at) }));
    expect(items()).toEqual(items());
  });
});

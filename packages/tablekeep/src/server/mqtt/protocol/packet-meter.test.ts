import fc from "fast-check";
import { expect, test } from "vitest";
import { PacketMeter } from "./packet-meter.ts";

/** An MQTT packet with a body of `length` bytes. */
function packet(length: number): Buffer {
  const header = [0x30];
  let rest = length;
  do {
    header.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.concat([Buffer.from(header), Buffer.alloc(length, 0xff)]);
}

/** Whether a meter for 1,000 bytes accepts all of `bytes`, cut at these places. */
function accepts(bytes: Buffer, cuts: readonly number[]): boolean {
  const meter = new PacketMeter(1000);
  let from = 0;
  return [...cuts.toSorted((one, other) => one - other), bytes.length].every((cut) => {
    const isAccepted = meter.accept(bytes.subarray(from, cut));
    from = cut;
    return isAccepted;
  });
}

test("packets up to the limit pass, however they are cut", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 8 }),
      fc.array(fc.nat(9000), { maxLength: 8 }),
      (lengths, cuts) => {
        const bytes = Buffer.concat(lengths.map(packet));
        return accepts(
          bytes,
          cuts.map((cut) => Math.min(cut, bytes.length)),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test("a packet above the limit is found by its header alone, however it is cut", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 4 }),
      fc.integer({ min: 1001, max: 268_435_455 }),
      fc.array(fc.nat(5000), { maxLength: 8 }),
      (lengths, tooLong, cuts) => {
        const header = packet(0).subarray(0, 1);
        const bytes = Buffer.concat([...lengths.map(packet), header, lengthOf(tooLong)]);
        const inside = cuts.map((cut) => Math.min(cut, bytes.length));
        return !accepts(bytes, inside);
      },
    ),
    { numRuns: 200 },
  );
});

test("a length of more than four bytes is rejected", () => {
  expect(accepts(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]), [])).toBe(false);
});

function lengthOf(length: number): Buffer {
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 128))
    bytes.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
  return Buffer.from(bytes);
}

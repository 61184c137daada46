import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packetLimit } from "./packet-limit.ts";

/** An MQTT packet with a body of so many bytes. */
function packet(length: number): Buffer {
  const header = [0x30];
  let rest = length;
  do {
    header.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.concat([Buffer.from(header), Buffer.alloc(length, 0xff)]);
}

/** What comes through of bytes that are cut anywhere, or the error. */
async function through(bytes: Buffer, cuts: readonly number[]): Promise<Buffer | string> {
  const limit = packetLimit(1000);
  const all = buffer(limit).catch((error: Error) => error.message);
  let from = 0;
  for (const cut of [...cuts.toSorted((one, other) => one - other), bytes.length]) {
    if (limit.destroyed) break;
    if (!limit.write(bytes.subarray(from, cut))) await once(limit, "drain").catch(() => {});
    from = cut;
  }
  limit.end();
  return all;
}

test("packets pass as they came, however they are cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 8 }),
      fc.array(fc.nat(9000), { maxLength: 8 }),
      async (lengths, cuts) => {
        const bytes = Buffer.concat(lengths.map(packet));
        expect(
          await through(
            bytes,
            cuts.map((cut) => Math.min(cut, bytes.length)),
          ),
        ).toEqual(bytes);
      },
    ),
    { numRuns: 200 },
  );
});

test("a packet that says it is too large fails before it has come", async () => {
  for (const length of [1001, 100_000, 200_000_000]) {
    const head = packet(0).subarray(0, 1);
    const said = Buffer.concat([packet(5), head, lengthOf(length)]);
    expect(await through(said, [3, 7])).toBe("a packet of more than 1000 bytes");
  }
  expect(await through(Buffer.from([0x30, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]), [])).toBe(
    "a packet of more than 1000 bytes",
  );
});

function lengthOf(length: number): Buffer {
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 128))
    bytes.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
  return Buffer.from(bytes);
}

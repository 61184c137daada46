import { type Fault, faultyPort } from "@tablekeep/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { engineWithSnapshots } from "../../test/engine-port.ts";
import { failureOf, noise, openSmall, table } from "../../test/snapshot-world.ts";
import { createCodecs } from "../codecs/create-codecs.ts";
import { ChunksDamaged, cutIntoChunks, joinChunks, maxChunks } from "./chunks.ts";

async function* from(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function cut(bytes: Uint8Array, deflated: boolean, chunkBytes: number) {
  const { chunks, sha256 } = cutIntoChunks(bytes, { deflated, chunkBytes });
  const taken: Uint8Array[] = [];
  for await (const chunk of chunks) taken.push(chunk);
  return { chunks: taken, sha256: sha256() };
}

/** Bytes that record how far they have been read. */
class WatchedBytes extends Uint8Array {
  readUpTo = 0;
  override subarray(begin?: number, end?: number): Uint8Array<ArrayBuffer> {
    this.readUpTo = Math.max(this.readUpTo, Math.min(end ?? this.length, this.length));
    return new Uint8Array(this.buffer as ArrayBuffer, this.byteOffset).subarray(begin, end);
  }
}

const watched = (length: number) => {
  const bytes = new WatchedBytes(length);
  bytes.set(noise(length));
  bytes.readUpTo = 0;
  return bytes;
};

const breath = () => new Promise((resolve) => setTimeout(resolve, 50));

describe("cutting and joining", () => {
  test("returns the same bytes, in chunks of the requested size, never more than announced", async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 3_000, size: "max" }),
      fc.tuple(fc.nat(255), fc.nat(5_000)).map(([value, length]) => new Uint8Array(length).fill(value)),
    );
    await fc.assert(
      fc.asyncProperty(
        bytes,
        fc.boolean(),
        fc.integer({ min: 1, max: 700 }),
        async (whole, deflated, size) => {
          const { chunks, sha256 } = await cut(whole, deflated, size);
          const shape = { deflated, byteLength: whole.length, sha256 };
          expect(Buffer.from(await joinChunks(from(chunks), shape)).equals(whole)).toBe(true);
          expect(chunks.slice(0, -1).every((chunk) => chunk.length === size)).toBe(true);
          expect(chunks.length).toBeLessThanOrEqual(maxChunks(whole.length, { deflated, chunkBytes: size }));
        },
      ),
      { numRuns: 200 },
    );
  });

  test("never returns more chunks than foretold of bytes that compression makes longer", async () => {
    for (const length of [0, 1, 100, 65_536, 1_000_003]) {
      const { chunks } = await cut(noise(length), true, 1_000);
      expect(chunks.length).toBeLessThanOrEqual(maxChunks(length, { deflated: true, chunkBytes: 1_000 }));
    }
  });

  test("notices every byte that is changed, missing or too much", async () => {
    const whole = noise(2_000);
    for (const deflated of [true, false]) {
      const { chunks, sha256 } = await cut(whole, deflated, 500);
      const shape = { deflated, byteLength: whole.length, sha256 };
      const [first = whole, ...rest] = chunks;
      const wrong: Uint8Array[][] = [
        [],
        chunks.slice(0, -1),
        rest,
        [...chunks, Uint8Array.of(7)],
        [first, ...chunks],
      ];
      for (let at = 0; at < 500; at += 7) {
        const changed = Uint8Array.from(first);
        changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
        wrong.push([changed, ...rest]);
      }
      for (const [index, each] of wrong.entries()) {
        // Bytes behind the end of a compressed stream are not part of it.
        if (deflated && index === 3) continue;
        await expect(joinChunks(from(each), shape)).rejects.toBeInstanceOf(ChunksDamaged);
      }
    }
  });
});

describe("memory", () => {
  test("bytes are encoded without a copy, however many they are", () => {
    const bytes = new Uint8Array(50_000_000);
    const before = process.memoryUsage().heapUsed;
    expect(createCodecs().encode(bytes).bytes.buffer).toBe(bytes.buffer);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  });

  test.each([true, false])(
    "cutting reads little ahead of the consumer of the chunks (deflated: %s)",
    async (deflated) => {
      const bytes = watched(40_000_000);
      const { chunks } = cutIntoChunks(bytes, { deflated, chunkBytes: 400_000 });
      await chunks.next();
      await breath();
      expect(bytes.readUpTo).toBeLessThan(4_000_000);
      await chunks.return();
    },
  );

  test("a save holds the chunks of a few requests while DynamoDB is slow", async () => {
    const slow: Fault = { kind: "hang", op: "BatchWriteItem" };
    const port = faultyPort(await engineWithSnapshots(table), { seed: 1, faults: [slow] });
    const snapshots = await openSmall(port, { deadlineMs: 1_000 });
    const bytes = watched(4_000_000);
    const failing = failureOf(snapshots.save("id", 1, { serializerId: 4, manifest: "", bytes }));
    await breath();
    await breath();
    // Of a thousand chunks, three requests' worth of 25, and what is being compressed.
    expect(bytes.readUpTo).toBeLessThan(1_500_000);
    expect((await failing).code).toBe("JOURNAL_SNAPSHOT_NOT_SAVED");
    await port.close();
  });

  test("a load fetches chunks one request ahead", async () => {
    const engine = await engineWithSnapshots(table);
    await (await openSmall(engine)).save("id", 1, noise(1_000_000));
    const port = faultyPort(engine, {
      seed: 1,
      faults: [{ kind: "delay-answer", ms: 200, op: "BatchGetItem", nth: [2, 99] }],
    });
    const loading = (await openSmall(port)).load("id", {}, { signal: AbortSignal.timeout(150) });
    expect((await failureOf(loading)).code).toBe("CLIENT_ABORTED");
    expect(port.requestCount("BatchGetItem")).toBeLessThanOrEqual(3);
    await port.settled();
    await port.close();
  });
});

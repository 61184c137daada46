import type { DynamoPort, Item } from "@tablekeep/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { engineWithSnapshots } from "../../test/engine-port.ts";
import { collect } from "../../test/journal-world.ts";
import { allItems, failureOf, memoryLogger, noise, openSmall, table } from "../../test/snapshot-world.ts";
import { createCodecs } from "../codecs/create-codecs.ts";
import type { SnapshotsOptions } from "./snapshot-options.ts";
import type { Snapshots } from "./snapshots.ts";

let port: DynamoPort;
let snapshots: Snapshots;
beforeEach(async () => {
  port = await engineWithSnapshots(table);
  snapshots = await openSmall(port);
  await snapshots.save("id", 1, "first");
});
afterEach(() => port.close());

const put = (item: Item) => port.putItem({ TableName: table, Item: item });

async function itemWhere(test: (item: Item) => boolean): Promise<Item> {
  const item = (await allItems(port)).find(test);
  if (item === undefined) throw new Error("there is no such item");
  return item;
}

const headOf = (sequenceNr: number) =>
  itemWhere((item) => item["ts"] !== undefined && item["seq"]?.N === String(sequenceNr));
const chunkOf = (index: number) =>
  itemWhere((item) => item["par"]?.S?.endsWith(`-${index}`) === true && "data" in item);

const flip = (bytes: Uint8Array | undefined, at: number) => {
  const copy = Uint8Array.from(bytes ?? []);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return { B: copy };
};

/** An error that says by its cause why a snapshot cannot be decoded. */
const undecodable = (cause: object) => ({ details: { problem: "undecodable" }, cause });
const withProblem = (problem: string) => ({ details: { problem } });

/** Ways in which snapshot 2 can be damaged, and the error of each. */
const damages: readonly [what: string, error: object, damage: () => Promise<unknown>][] = [
  [
    "whose item was changed",
    undecodable({ code: "JOURNAL_CHECKSUM_MISMATCH" }),
    async () => {
      await snapshots.save("id", 2, "second");
      const head = await headOf(2);
      return put({ ...head, pay_data: flip(head["pay_data"]?.B, 0) });
    },
  ],
  [
    "whose item has no state",
    withProblem("no-state"),
    () => put({ par: { S: "journal-P-id" }, seq: { N: "2" }, ts: { N: "5" } }),
  ],
  [
    "whose item has no serializer",
    undecodable({ code: "JOURNAL_ROW_CORRUPT", details: { attribute: "ser_id" } }),
    async () => {
      await snapshots.save("id", 2, "second");
      const { ser_id: _, ...head } = await headOf(2);
      return put(head);
    },
  ],
  [
    "whose item has no time",
    {
      ...undecodable({ code: "JOURNAL_ROW_CORRUPT", details: { attribute: "ts" } }),
      details: { reason: "cannot be read: ts is missing" },
    },
    async () => {
      await snapshots.save("id", 2, "second");
      const { ts: _, ...head } = await headOf(2);
      await put(head);
      expect(await collect(snapshots.list("id"))).toContainEqual({
        persistenceId: "id",
        sequenceNr: 2,
        timestamp: 0,
      });
    },
  ],
  [
    "of which a chunk was changed",
    withProblem("chunks-corrupt"),
    async () => {
      await snapshots.save("id", 2, noise(20_000));
      const chunk = await chunkOf(3);
      return put({ ...chunk, data: flip(chunk["data"]?.B, 5) });
    },
  ],
  [
    "of which a chunk is missing",
    withProblem("chunk-missing"),
    async () => {
      await snapshots.save("id", 2, noise(20_000));
      const { par, seq } = await chunkOf(3);
      return port.deleteItem({ TableName: table, Key: { par, seq } as Item });
    },
  ],
  [
    "of which two chunks were swapped",
    withProblem("chunks-corrupt"),
    async () => {
      await snapshots.save("id", 2, noise(20_000));
      const [one, other] = [await chunkOf(1), await chunkOf(2)];
      await put({ ...one, data: other["data"] as Item[string] });
      return put({ ...other, data: one["data"] as Item[string] });
    },
  ],
  [
    "whose head is none of ours",
    withProblem("head-corrupt"),
    async () => {
      const state = {
        serializerId: 742_003,
        manifest: "",
        bytes: Buffer.from('{"version":1,"chunks":"many"}'),
      };
      return snapshots.save("id", 2, state);
    },
  ],
  [
    "whose codec fails",
    undecodable({ code: "JOURNAL_PAYLOAD_CORRUPT", details: { serializerId: 20 } }),
    () => snapshots.save("id", 2, { serializerId: 20, manifest: "", bytes: Uint8Array.of(0xff) }),
  ],
];

describe.each(damages)("a snapshot %s", (_what, error, damage) => {
  test("fails the load, by default", async () => {
    await damage();
    const failure = await failureOf(snapshots.load("id"));
    expect(failure).toMatchObject({
      code: "JOURNAL_SNAPSHOT_UNREADABLE",
      ambiguous: false,
      details: { persistenceId: "id", sequenceNr: 2 },
    });
    expect(failure).toMatchObject(error);
  });

  test('gives way to the previous one with onUnreadable "previous"', async () => {
    await damage();
    const logger = memoryLogger();
    const lenient = await openSmall(port, { onUnreadable: "previous", logger });
    expect(await lenient.load("id")).toMatchObject({ sequenceNr: 1, state: "first" });
    expect(logger.lines).toEqual([expect.stringMatching(/^warn: could not read a snapshot .*UNREADABLE/)]);
  });

  test('counts as missing with onUnreadable "replay-all"', async () => {
    await damage();
    expect(await snapshots.load("id", {}, { onUnreadable: "replay-all" })).toBeUndefined();
  });

  test("can be deleted", async () => {
    await damage();
    await snapshots.delete("id", 2);
    expect(await snapshots.load("id")).toMatchObject({ sequenceNr: 1 });
  });
});

describe("a load", () => {
  test("fails if no snapshot can be read, even if older ones are allowed", async () => {
    const broken = { serializerId: 20, manifest: "", bytes: Uint8Array.of(0xff) };
    await snapshots.save("id", 1, broken);
    await snapshots.save("id", 2, broken);
    const failure = await failureOf(snapshots.load("id", {}, { onUnreadable: "previous" }));
    expect(failure).toMatchObject({ code: "JOURNAL_SNAPSHOT_UNREADABLE", details: { sequenceNr: 2 } });
  });

  test.each<[string, SnapshotsOptions]>([
    ["of chunks", { compression: "never" }],
    ["compressed in one item", { compression: "always" }],
  ])("rejects a snapshot %s that unpacks to more than is allowed", async (_how, options) => {
    await (await openSmall(port, options)).save("id", 2, "0".repeat(20_000));
    const strict = await openSmall(port, { maxSnapshotBytes: 10_000 });
    const failure = await failureOf(strict.load("id"));
    expect(failure).toMatchObject({
      code: "JOURNAL_SNAPSHOT_UNREADABLE",
      details: { sequenceNr: 2, problem: "too-large" },
    });
  });

  test("passes on what DynamoDB reports, and does not report it as none", async () => {
    const elsewhere = await openSmall(port, { table: "not-there", onUnreadable: "replay-all" });
    expect((await failureOf(elsewhere.load("id"))).code).toBe("DYNAMO_RESOURCE_NOT_FOUND");
    expect((await failureOf(elsewhere.save("id", 1, "state"))).code).toBe("DYNAMO_RESOURCE_NOT_FOUND");
    const failure = await failureOf(elsewhere.save("id", 1, noise(20_000)));
    expect(failure).toMatchObject({ code: "JOURNAL_SNAPSHOT_NOT_SAVED", ambiguous: false });
  });

  test("returns a state without a codec unchanged", async () => {
    await snapshots.save("id", 2, { serializerId: 4711, manifest: "m", bytes: Uint8Array.of(1, 2) });
    expect(await snapshots.load("id")).toMatchObject({
      serializerId: 4711,
      serializerManifest: "m",
      state: { serializerId: 4711, manifest: "m" },
    });
  });
});

describe("a state above the size of an item", () => {
  test("is compressed into one item, if that is enough", async () => {
    await snapshots.save("id", 2, { text: "0".repeat(100_000) });
    expect(await allItems(port)).toHaveLength(2);
    expect((await headOf(2))["ser_id"]).toEqual({ N: "742002" });
    expect(await snapshots.load("id")).toMatchObject({
      state: { text: "0".repeat(100_000) },
      serializerId: 742_001,
    });
  });

  test("is rejected in the original's words if chunks are not wanted", async () => {
    const single = await openSmall(port, { chunking: false });
    const failure = await failureOf(single.save("id", 1, noise(20_000)));
    expect(failure).toMatchObject({ code: "JOURNAL_SNAPSHOT_TOO_LARGE", ambiguous: false });
    expect(failure.message).toContain("MaxItemSize exceeded: 20000 > 4096");
    expect(await snapshots.load("id")).toMatchObject({ state: "first" });
  });

  test("is rejected above the largest size", async () => {
    const small = await openSmall(port, { maxSnapshotBytes: 15_000 });
    expect((await failureOf(small.save("id", 1, noise(15_001)))).code).toBe("JOURNAL_SNAPSHOT_TOO_LARGE");
    const state = noise(15_000);
    await small.save("id", 2, state);
    expect((await small.load("id"))?.state).toEqual(state);
  });

  test("that its codecs compress already is not compressed twice", async () => {
    const own = await openSmall(port, { codecs: createCodecs({ compression: {} }) });
    const state = Array.from({ length: 3_000 }, () => Math.random());
    await own.save("id", 2, state);
    expect(await own.load("id")).toMatchObject({ state, serializerId: 742_001 });
    expect(Buffer.from((await headOf(2))["pay_data"]?.B ?? []).toString()).toContain('"deflated":false');
  });
});

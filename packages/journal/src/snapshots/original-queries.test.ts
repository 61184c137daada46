import type { DynamoPort, Item, QueryInput } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { engineWithSnapshots } from "../../test/engine-port.ts";
import { allItems, noise, openSmall, table } from "../../test/snapshot-world.ts";
import type { SnapshotsOptions } from "./snapshot-options.ts";

const ids = ["id", "a-K-b", "-K-", "K-1-0", "id-K-1-1", "", "-P-id"];
const journals = ["journal", "journal-K", "j", ""];

/** The queries of the plugins 1.1 to 1.3 and of Pekko's: by number, by time, by both, for a load and for a deletion. */
function originalQueries(par: string): QueryInput[] {
  const values = (more: Item): Item => ({ ":par": { S: par }, ...more });
  const bounds = [0, 1, 7, Number.MAX_SAFE_INTEGER].map((n) => ({ N: String(n) }));
  const last = { N: "9223372036854775807" };
  const byNumber = [...bounds, last].flatMap((max) =>
    bounds
      .filter((min) => BigInt(min.N) <= BigInt(max.N))
      .map((min) => ({
        KeyConditionExpression: "par = :par AND seq BETWEEN :min AND :max",
        ExpressionAttributeValues: values({ ":min": min, ":max": max }),
      })),
  );
  const byTime = [...bounds, last].map((max) => ({
    IndexName: "ts-idx",
    KeyConditionExpression: "par = :par AND ts BETWEEN :min AND :max",
    ExpressionAttributeValues: values({ ":min": { N: "0" }, ":max": max }),
  }));
  const byBoth = {
    KeyConditionExpression: "par = :par AND seq BETWEEN :min AND :max",
    FilterExpression: "ts BETWEEN :min AND :max",
    ExpressionAttributeValues: values({ ":min": { N: "0" }, ":max": last }),
  };
  const all = [...byNumber, ...byTime, byBoth];
  return all.flatMap((query) =>
    [true, false].map((ScanIndexForward) => ({
      TableName: table,
      ScanIndexForward,
      ConsistentRead: true,
      ...query,
    })),
  );
}

describe.each<SnapshotsOptions>([{ format: "pay_data" }, { format: "pay" }])(
  "a reader of the original, on chunked snapshots written as %j",
  ({ format }) => {
    let port: DynamoPort;
    beforeAll(async () => {
      port = await engineWithSnapshots(table);
      for (const journalName of journals) {
        const snapshots = await openSmall(port, { journalName, format });
        for (const id of ids.filter((each) => each !== "")) {
          await snapshots.save(id, 7, noise(20_000));
          await snapshots.save(id, 3, "small");
        }
        await snapshots.close();
      }
    });
    afterAll(() => port.close());

    test("never finds a chunk or a record of chunks", async () => {
      const items = await allItems(port);
      expect(items.filter((item) => "data" in item).length).toBeGreaterThan(100);
      let met = 0;
      for (const journal of journals) {
        for (const id of ids) {
          for (const query of originalQueries(`${journal}-P-${id}`)) {
            const { Items = [] } = await port.query(query);
            met += Items.length;
            for (const item of Items) expect(["3", "7"]).toContain(item["seq"]?.N);
            expect(Items.filter((item) => "data" in item || "until" in item)).toEqual([]);
          }
        }
      }
      expect(met).toBeGreaterThan(1_000);
    });

    test("finds none of our partitions by any journal's name, because none has -P- in it", async () => {
      for (const item of await allItems(port)) {
        const isOriginal = item["ts"] !== undefined;
        expect([item["par"]?.S, item["par"]?.S?.includes("-P-")]).toEqual([item["par"]?.S, isOriginal]);
      }
    });

    test("does not see chunks in the index", async () => {
      const { Items = [] } = await port.scan({ TableName: table, IndexName: "ts-idx" });
      expect(Items).toHaveLength(journals.length * (ids.length - 1) * 2);
    });

    test("fails on the head of a chunked snapshot, because its serializer is unknown", async () => {
      const heads = (await allItems(port)).filter(
        (item) => item["sid"] !== undefined && item["ts"] !== undefined,
      );
      expect(heads).toHaveLength(journals.length * (ids.length - 1));
      for (const head of heads) {
        const envelope = Buffer.from(head["pay"]?.B ?? []);
        const serializerId = format === "pay" ? envelope.readInt32LE(4) : Number(head["ser_id"]?.N);
        expect(serializerId).toBe(742_003);
      }
    });
  },
);

import { randomBytes } from "node:crypto";
import { connect } from "@tablekeep/client";
import { describe, expect, inject, test } from "vitest";
import { openEntities } from "../src/index.ts";
import { counter } from "./counter.ts";
import { eventsOf, makeTables, storesOn } from "./entity-world.ts";

const endpoint = inject("dynamoDbLocal");
const credentials = { accessKeyId: "local", secretAccessKey: "local" };

describe.skipIf(endpoint === "")("entities on DynamoDB Local", () => {
  test("groups with a ledger, redelivery, snapshots, retention, time travel", async () => {
    const suffix = randomBytes(4).toString("hex");
    const names = { events: `e-${suffix}`, snapshots: `s-${suffix}`, commands: `c-${suffix}` };
    const port = connect({ endpoint, region: "us-east-1", credentials });
    await makeTables(port, names);
    const stores = await storesOn(port, {}, names);
    const open = () =>
      openEntities({
        ...stores,
        entities: [counter],
        snapshotEvery: 30,
        keepSnapshots: 1,
        deleteCoveredEvents: true,
        deadlineMs: 30_000,
      });
    const host = await open();
    const asks = (of: typeof host) =>
      Promise.all(
        Array.from({ length: 120 }, (_unused, at) =>
          of.of(counter).ask("a", { type: "add", amount: 1 }, { commandId: String(at) }),
        ),
      );
    const first = await asks(host);
    expect(first.map((reply) => (reply as { total: number }).total)).toEqual(
      Array.from({ length: 120 }, (_unused, at) => at + 1),
    );
    await host.close();
    const second = await open();
    // Everything once more, as after a lost connection.
    expect(await asks(second)).toEqual(first);
    expect(await second.of(counter).read("a")).toEqual({
      state: { total: 120, events: 120 },
      sequenceNr: 120,
    });
    const kept = await eventsOf(stores.journal, "counter|a");
    expect(kept.length).toBeLessThan(120);
    // The groups decide where the last snapshot is: it may cover every event.
    const oldest = kept[0]?.sequenceNr ?? 120;
    expect(await second.of(counter).stateAt("a", { sequenceNr: oldest })).toMatchObject({
      state: { total: oldest },
    });
    await second.close();
    await port.close();
  });
});

import { randomUUID } from "node:crypto";
import { ensureTable, httpPort } from "@tablekeep/client";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { keyTableSpec, openKeyStore } from "../src/encryption/index.ts";
import { journalTableSpec, openJournal, openSnapshots, snapshotTableSpec, unwrap } from "../src/index.ts";
import { expireEvents } from "../src/tools/index.ts";
import { encryptedFor } from "./encryption-world.ts";
import { collect, itemsOf, layouts } from "./journal-world.ts";

const endpoint = inject("dynamoDbLocal");

describe.skipIf(endpoint === "")("forgotten and expired data on DynamoDB Local", () => {
  let port: ReturnType<typeof httpPort>;
  beforeAll(() => {
    port = httpPort({ endpoint, credentials: { accessKeyId: "local", secretAccessKey: "local" } });
  });
  afterAll(() => port.close());

  test.each(layouts)("events in the %s layout are gone", async (layout) => {
    const options = { layout, table: `gone-${randomUUID()}`, sequenceShards: 10 };
    const table = `keys-${randomUUID()}`;
    // Without time to live: each such table occupies a thread of DynamoDB Local.
    const { ttlAttribute: _unused, ...spec } = journalTableSpec(options);
    await ensureTable(port, spec);
    await ensureTable(port, keyTableSpec(table));
    const keys = openKeyStore(port, { table });
    const journal = await openJournal(port, { ...options, codecs: encryptedFor(keys) });
    unwrap(
      await journal.append("a", [
        { payload: { who: "anna" }, metadata: { m: 1 }, id: "e1" },
        { payload: "old salary", metadata: { m: 2 }, id: "e2", expiresAt: 1 },
        { payload: "stays", expiresAt: Date.now() + 1_000_000 },
      ]),
    );
    await keys.forget("anna");
    expect(await expireEvents(port, options)).toEqual({ ids: 1, events: 1 });
    expect(await collect(journal.replay("a"))).toMatchObject([
      { id: "e1", gone: "forgotten", payload: undefined },
      { id: "e2", gone: "expired", payload: undefined },
      { payload: "stays" },
    ]);
    const bytes = (await itemsOf(port, options.table)).flatMap((item) =>
      Object.values(item).map(({ B = Buffer.of() }) => B),
    );
    expect(Buffer.concat(bytes).includes("salary")).toBe(false);
  });

  test("snapshots count as absent", async () => {
    const table = `snapshots-${randomUUID()}`;
    await ensureTable(port, snapshotTableSpec(table));
    const snapshots = await openSnapshots(port, { table });
    await snapshots.save("a", 1, "first");
    await snapshots.save("a", 2, "second", { expiresAt: 1 });
    expect(await snapshots.load("a")).toMatchObject({ state: "first" });
    expect(await collect(snapshots.list("a"))).toMatchObject([{ sequenceNr: 1 }]);
    await snapshots.keepNewest("a", 1);
    expect(await itemsOf(port, table)).toHaveLength(1);
  });
});

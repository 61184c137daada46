import { randomBytes, randomUUID } from "node:crypto";
import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { expect, test } from "vitest";
import { type KeyStoreOptions, keyTableSpec, openKeyStore } from "../src/encryption/index.ts";

/** What a key store must do, on any port. */
export function keyStoreCases(portOf: () => DynamoPort): void {
  const fresh = async () => {
    const table = `keys-${randomUUID()}`;
    await ensureTable(portOf(), keyTableSpec(table));
    const itemOf = async (subject: string) =>
      (await portOf().getItem({ TableName: table, Key: { subject: { S: subject } }, ConsistentRead: true }))
        .Item;
    return {
      table,
      itemOf,
      open: (more: KeyStoreOptions = {}) => openKeyStore(portOf(), { table, ...more }),
    };
  };

  test("creates one key for each subject, for all processes", async () => {
    const { open } = await fresh();
    const stores = Array.from({ length: 8 }, () => open());
    expect(await stores[0]?.get("ü 1")).toBe(undefined);
    const found = await Promise.all(stores.map(async (store) => store.getOrCreate("ü 1")));
    expect(found[0]).toHaveLength(32);
    for (const key of found) expect(Buffer.compare(key as Uint8Array, found[0] as Uint8Array)).toBe(0);
    for (const store of [...stores, open()])
      expect(Buffer.from((await store.get("ü 1")) as Uint8Array)).toEqual(
        Buffer.from(found[0] as Uint8Array),
      );
    expect(await stores[0]?.getOrCreate("2")).not.toEqual(found[0]);
  });

  test("forgets a subject for good, with a key or without", async () => {
    const { open, itemOf } = await fresh();
    const store = open();
    await store.getOrCreate("a");
    await store.forget("a");
    const item = await itemOf("a");
    expect(Object.keys(item ?? {}).sort()).toEqual(["created", "forgotten", "subject"]);
    await store.forget("b");
    await store.forget("a");
    // The time of the first.
    expect(await itemOf("a")).toEqual(item);
    for (const each of [store, open()])
      for (const subject of ["a", "b"]) {
        expect(await each.get(subject)).toBe("forgotten");
        expect(await each.getOrCreate(subject)).toBe("forgotten");
      }
  });

  test("wraps keys by a master key, or by functions", async () => {
    const { open, itemOf } = await fresh();
    const masterKey = randomBytes(32);
    const plain = (await open().getOrCreate("before")) as Uint8Array;
    const key = (await open({ masterKey }).getOrCreate("a")) as Uint8Array;
    expect(Buffer.from((await itemOf("a"))?.["key"]?.B ?? []).includes(Buffer.from(key))).toBe(false);
    expect(await open({ masterKey }).get("a")).toEqual(Buffer.from(key));
    // Keys from before there was a master key stay readable.
    expect(Buffer.from((await open({ masterKey }).get("before")) as Uint8Array)).toEqual(Buffer.from(plain));
    for (const other of [open(), open({ masterKey: randomBytes(32) })])
      await expect(other.get("a")).rejects.toMatchObject({
        code: "JOURNAL_KEY_UNREADABLE",
        details: { subject: "a" },
      });
    const flip = async (bytes: Uint8Array) => bytes.map((byte) => byte ^ 255);
    const custom = open({ wrap: flip, unwrap: flip });
    const wrapped = (await custom.getOrCreate("c")) as Uint8Array;
    expect(Buffer.from((await itemOf("c"))?.["key"]?.B ?? [])).toEqual(Buffer.from(await flip(wrapped)));
    expect(Buffer.from((await open({ wrap: flip, unwrap: flip }).get("c")) as Uint8Array)).toEqual(
      Buffer.from(wrapped),
    );
    // A wrapped key is of its subject only.
    const stolen = { ...(await itemOf("a")), subject: { S: "thief" } };
    await expect(thiefOf(stolen)).rejects.toMatchObject({ code: "JOURNAL_KEY_UNREADABLE" });

    async function thiefOf(item: object) {
      const other = await fresh();
      await portOf().putItem({ TableName: other.table, Item: item as never });
      return other.open({ masterKey }).get("thief");
    }
  });
}

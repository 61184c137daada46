import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { exploreInterleavings, fakeClock, faultyPort, pauseAtEvery } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type KeyStoreOptions, keyTableSpec, openKeyStore } from "../src/encryption/index.ts";
import { openJournal, unwrap } from "../src/index.ts";
import { encryptedFor, keysOn } from "./encryption-world.ts";
import { collect, engineWith, layouts } from "./journal-world.ts";
import { keyStoreCases } from "./key-store-suite.ts";

describe("a key store on the engine", () => {
  let port: Engine;
  beforeAll(async () => {
    port = await openEngine({ storage: { kind: "memory" } });
  });
  afterAll(() => port.close());
  keyStoreCases(() => port);
});

async function emptyKeys(): Promise<Engine> {
  const port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, keyTableSpec());
  return port;
}

/** A key as text, for comparison. */
const shown = (key: unknown) => (key instanceof Uint8Array ? Buffer.from(key).toString("hex") : key);

test("two creators in every order get the same key", async () => {
  const create = (own: DynamoPort) => openKeyStore(own).getOrCreate("a");
  const { complete } = await exploreInterleavings({
    setup: async () => ({ port: await emptyKeys() }),
    actors: { a: async (own) => create(own), b: async (own) => create(own) },
    async check({ port }, results) {
      const stored = shown(await openKeyStore(port).get("a"));
      const found = Object.values(results).map((each) => each.status === "fulfilled" && shown(each.value));
      expect(found).toEqual([stored, stored]);
    },
  });
  expect(complete).toBe(true);
});

test("a creator and forget in every order: the key is gone, whichever was first", async () => {
  const { complete } = await exploreInterleavings({
    setup: async () => ({ port: await emptyKeys() }),
    actors: {
      a: async (own) => openKeyStore(own).getOrCreate("a"),
      b: async (own) => openKeyStore(own).forget("a"),
      c: async (own) => openKeyStore(own).getOrCreate("a"),
    },
    async check({ port }) {
      expect(await openKeyStore(port).get("a")).toBe("forgotten");
    },
  });
  expect(complete).toBe(true);
});

test.each(["PutItem", "GetItem"])("a lost answer of %s is settled by a read", async (op) => {
  for (const kind of ["lost-before-apply", "lost-after-apply"]) {
    const clock = fakeClock();
    const port = await emptyKeys();
    const faulty = faultyPort(port, `seed=1 faults=[{kind:${kind},op:${op},times:1}]`, { clock });
    const store = openKeyStore(faulty, { clock });
    const create = async () => store.getOrCreate("a");
    const found = await clock.autoAdvance(() => create().catch(create), { busy: () => faulty.busy() });
    expect(shown(await openKeyStore(port).get("a"))).toBe(shown(found));
  }
});

test("a lost answer of forget is sent again", async () => {
  for (const kind of ["lost-before-apply", "lost-after-apply"]) {
    const clock = fakeClock();
    const port = await emptyKeys();
    const faulty = faultyPort(port, `seed=1 faults=[{kind:${kind},op:UpdateItem,times:2}]`, { clock });
    const store = openKeyStore(faulty, { clock });
    await store.getOrCreate("a");
    await clock.autoAdvance(() => store.forget("a"), { busy: () => faulty.busy() });
    expect(await openKeyStore(port).get("a")).toBe("forgotten");
  }
});

describe.each(layouts)("an append and forget in the %s layout", (layout) => {
  const options = { layout, table: "events" } as const;
  const payload = { who: "anna", secret: "salary" };

  test("paused anywhere, an append is stored and forgotten, or rejected", async () => {
    const { pauses } = await pauseAtEvery({
      async setup() {
        const port = await engineWith(options);
        await keysOn(port);
        return { port };
      },
      paused: async (own) => {
        const journal = await openJournal(own, { ...options, codecs: encryptedFor(openKeyStore(own)) });
        return journal.append("a", { payload });
      },
      meanwhile: async (own) => openKeyStore(own).forget("anna"),
      async check({ port }, { paused }) {
        const journal = await openJournal(port, { ...options, codecs: encryptedFor(openKeyStore(port)) });
        const gone = (await collect(journal.replay("a"))).map((event) => event.gone);
        if (paused.status !== "fulfilled") throw paused.reason;
        const outcome = paused.value as { kind: string; error?: { code: string } };
        if (outcome.kind === "ok") expect(gone).toEqual(["forgotten"]);
        else {
          expect(outcome).toMatchObject({ kind: "rejected", error: { code: "JOURNAL_SUBJECT_FORGOTTEN" } });
          expect(gone).toEqual([]);
        }
      },
    });
    expect(pauses.length).toBeGreaterThan(4);
  });
});

test("keys are cached for their time, by either clock, and no more than allowed", async () => {
  const clock = fakeClock();
  const port = await emptyKeys();
  let reads = 0;
  const counting: DynamoPort = new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (name === "getItem") reads++;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const readsOf = async (work: () => unknown) => {
    reads = 0;
    await work();
    return reads;
  };
  const store = openKeyStore(counting, { clock, cacheMs: 1000, maxCached: 2 });
  await store.getOrCreate("a");
  expect(await readsOf(() => store.get("a"))).toBe(0);
  // A cached key is there at once.
  expect(store.get("a")).toBeInstanceOf(Uint8Array);
  await clock.advance(1000);
  expect(await readsOf(() => Promise.all([store.get("a"), store.get("a")]))).toBe(1);
  // As after a suspension, in which the monotonic clock stood still.
  clock.jump(1000);
  expect(await readsOf(() => store.get("a"))).toBe(1);
  await store.getOrCreate("b");
  await store.getOrCreate("c");
  expect(await readsOf(() => store.get("a"))).toBe(1);
  await store.forget("c");
  await clock.advance(1_000_000);
  expect(store.get("c")).toBe("forgotten");
});

test.each<[string, KeyStoreOptions]>([
  ["an unknown option", { name: "x" } as KeyStoreOptions],
  ["a short master key", { masterKey: new Uint8Array(16) }],
  ["wrap alone", { wrap: (key) => key }],
  ["unwrap alone", { unwrap: (key) => key }],
  ["two wrappings", { masterKey: new Uint8Array(32), wrap: (key) => key, unwrap: (key) => key }],
  ["no time", { cacheMs: -1 }],
])("%s is rejected", async (_name, options) => {
  const port = await emptyKeys();
  expect(() => openKeyStore(port, options)).toThrow(
    expect.objectContaining({ code: "JOURNAL_OPTION_INVALID" }),
  );
});

test("a key that cannot be read now is retryable; nothing is stored for it", async () => {
  const clock = fakeClock();
  const port = await engineWith({ table: "events" });
  await ensureTable(port, keyTableSpec());
  const down = faultyPort(port, "seed=1 faults=[{kind:unreachable,op:GetItem,times:1000}]", { clock });
  const codecs = encryptedFor(openKeyStore(down, { clock }));
  const journal = await openJournal(port, { codecs });
  const writer = await journal.recover("a");
  const outcome = await clock.autoAdvance(() => writer.append({ payload: { who: "anna" } }));
  expect(outcome).toMatchObject({
    kind: "rejected",
    error: {
      code: "JOURNAL_KEY_UNAVAILABLE",
      retryable: true,
      ambiguous: false,
      details: { subject: "anna" },
    },
  });
  expect(await journal.highestSequenceNr("a")).toBe(0);
  unwrap(await writer.append({ payload: "of nobody" }));
});

const plainWrap = (key: Uint8Array) => key;

test.each<[string, KeyStoreOptions]>([
  ["text", { wrap: (key) => Buffer.from(key).toString("base64") as never, unwrap: plainWrap }],
  ["nothing", { wrap: () => new Uint8Array(), unwrap: plainWrap }],
  ["the bytes of another key", { wrap: plainWrap, unwrap: () => new Uint8Array(32) }],
  ["zeros", { wrap: (key) => key.fill(0), unwrap: plainWrap }],
])("a key that comes back from its wrapping as %s is not stored", async (_name, options) => {
  const port = await emptyKeys();
  await expect(openKeyStore(port, options).getOrCreate("a")).rejects.toMatchObject({
    code: "JOURNAL_KEY_UNREADABLE",
    details: { subject: "a" },
  });
  expect(await openKeyStore(port).get("a")).toBe(undefined);
});

test("a wrapping that never ends fails at the deadline, and later calls start again", async () => {
  const clock = fakeClock();
  const port = await emptyKeys();
  let isHanging = true;
  const hang = (bytes: Uint8Array) => (isHanging ? new Promise<Uint8Array>(() => {}) : bytes);
  const open = () => openKeyStore(port, { clock, deadlineMs: 2000, wrap: hang, unwrap: hang });
  const late = { code: "JOURNAL_KEY_UNAVAILABLE", retryable: true, details: { subject: "a" } };
  const store = open();
  const creation = expect(store.getOrCreate("a")).rejects.toMatchObject(late);
  await clock.autoAdvance(() => creation);
  isHanging = false;
  const key = await store.getOrCreate("a");
  isHanging = true;
  const reader = open();
  const reading = expect(reader.get("a")).rejects.toMatchObject(late);
  await clock.autoAdvance(() => reading);
  isHanging = false;
  expect(shown(await reader.get("a"))).toBe(shown(key));
});

test("the reason why a key is not available is said once", async () => {
  const port = await engineWith({ table: "events" });
  await ensureTable(port, keyTableSpec());
  const down = () => Promise.reject(new Error("the service is down"));
  const codecs = encryptedFor(openKeyStore(port, { wrap: down, unwrap: down }));
  const journal = await openJournal(port, { codecs });
  const outcome = await journal.append("a", { payload: { who: "anna" } });
  // Not twice: an error of the store is not wrapped again.
  expect(outcome).toMatchObject({
    kind: "rejected",
    error: { code: "JOURNAL_KEY_UNAVAILABLE", cause: { message: "the service is down" } },
  });
});

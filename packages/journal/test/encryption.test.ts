import { Readable } from "node:stream";
import { ensureTable } from "@tablekeep/client";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import type { KeyStore } from "../src/encryption/index.ts";
import {
  createCodecs,
  type EncodedPayload,
  type JournalOptions,
  openJournal,
  openSnapshots,
  snapshotTableSpec,
  unwrap,
} from "../src/index.ts";
import {
  compactJournal,
  exportEvents,
  importEvents,
  migrateJournal,
  verifyJournal,
} from "../src/tools/index.ts";
import { encryptedFor, keysOn, openByHand } from "./encryption-world.ts";
import { collect, engineWith, itemsOf, layouts } from "./journal-world.ts";

const anna = (n: number) => ({ who: "anna", secret: `salary ${n}` });
const ben = (n: number) => ({ who: "ben", secret: `salary ${n}` });

describe.each(layouts)("encrypted events in the %s layout", (layout) => {
  const options: JournalOptions = { layout, table: "events" };

  test("are stored encrypted, with their metadata, and read as they were appended", async () => {
    const port = await engineWith(options);
    const codecs = encryptedFor(await keysOn(port));
    const journal = await openJournal(port, { ...options, codecs });
    const metadata = { from: "salary office" };
    unwrap(
      await journal.append("a", [
        {
          payload: anna(1),
          metadata,
          id: "e1",
          correlationId: "c1",
          serializerManifest: "raise",
          tags: ["hr"],
        },
        { payload: ben(2) },
        { payload: { note: "for everybody" }, metadata: { public: true } },
        { payload: anna(4), id: "e4" },
      ]),
    );
    expect(await collect(journal.replay("a"))).toMatchObject([
      {
        payload: anna(1),
        metadata,
        id: "e1",
        correlationId: "c1",
        serializerId: 742_001,
        serializerManifest: "raise",
        tags: ["hr"],
      },
      { payload: ben(2), serializerId: 742_001, serializerManifest: "" },
      { payload: { note: "for everybody" }, metadata: { public: true } },
      { payload: anna(4), id: "e4" },
    ]);
    const stored = JSON.stringify(await itemsOf(port, "events"), (_name, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
    );
    expect(stored).not.toContain("salary");
    expect(stored).toContain("for everybody");
    // Without keys they are payloads that no codec handles.
    const plain = await openJournal(port, options);
    expect((await collect(plain.replay("a"))).slice(0, 1)).toMatchObject([
      { serializerId: 742_004, payload: { serializerId: 742_004, manifest: "raise" } },
    ]);
  });

  test("have the documented format", async () => {
    const port = await engineWith(options);
    const keys = await keysOn(port);
    const inner = createCodecs({ compression: { minBytes: 100 } });
    const journal = await openJournal(port, { ...options, codecs: encryptedFor(keys, { codecs: inner }) });
    const long = { who: "anna", text: "x".repeat(1000) };
    unwrap(
      await journal.append("id ü", [
        { payload: anna(1), metadata: { m: 1 }, id: "e1", serializerManifest: "raise/ü" },
        { payload: long },
      ]),
    );
    const key = (await keys.get("anna")) as Uint8Array;
    const encoded: EncodedPayload[] = [];
    const watched = { ...createCodecs(), decode: (each: EncodedPayload) => void encoded.push(each) };
    await collect((await openJournal(port, { ...options, codecs: watched })).replay("id ü"));
    const [first, metadata, second] = encoded as [EncodedPayload, EncodedPayload, EncodedPayload];
    const place = { persistenceId: "id ü", sequenceNr: 1 };
    const opened = openByHand(first, key, { part: "event", ...place });
    expect(opened).toMatchObject({ serializerId: 742_001, subject: "anna", clear: "", compressed: false });
    expect(JSON.parse(opened.plain.toString())).toEqual(anna(1));
    const beside = openByHand(metadata, key, { part: "metadata", ...place });
    expect(JSON.parse(beside.clear)).toEqual({ id: "e1" });
    expect(JSON.parse(beside.plain.toString())).toEqual({ m: 1 });
    const packed = openByHand(second, key, { part: "event", persistenceId: "id ü", sequenceNr: 2 });
    expect(packed).toMatchObject({ serializerId: 742_001, compressed: true });
    const unpacked = createCodecs().decode({ serializerId: 742_002, manifest: "", bytes: packed.plain });
    expect(unpacked).toEqual(long);
    expect((await collect(journal.replay("id ü")))[1]).toMatchObject({
      payload: long,
      serializerId: 742_001,
    });
  });

  test("of a forgotten subject replay as forgotten; those of others are as they were", async () => {
    const port = await engineWith(options);
    const keys = await keysOn(port);
    const journal = await openJournal(port, { ...options, codecs: encryptedFor(keys) });
    const metadata = { from: "salary office" };
    const writer = await journal.recover("a");
    unwrap(
      await writer.append([{ payload: anna(1), metadata, id: "e1", tags: ["hr"] }, { payload: ben(2) }]),
    );
    const before = await collect(journal.replay("a"));
    await keys.forget("anna");
    const check = async (codecs = encryptedFor(keys)) => {
      const reopened = await openJournal(port, { ...options, codecs });
      const [first, second] = await collect(reopened.replay("a"));
      const { payload: _payload, metadata: _metadata, ...rest } = before[0] as (typeof before)[number];
      expect(first).toEqual({ ...rest, payload: undefined, gone: "forgotten" });
      expect(second).toEqual(before[1]);
      const folded = await reopened.load("a", {
        initial: () => [] as unknown[],
        evolve: (all, payload) => [...all, payload],
      });
      expect(folded.state).toEqual([ben(2)]);
    };
    await check();
    await check(encryptedFor(await keysOn(port)));
    expect(await writer.appendEach([{ payload: anna(3) }, { payload: ben(3) }])).toMatchObject([
      {
        kind: "rejected",
        error: { code: "JOURNAL_SUBJECT_FORGOTTEN", kind: "invalid", details: { subject: "anna" } },
      },
      { kind: "ok", value: { first: 3, last: 3 } },
    ]);
    const findings = await collect(verifyJournal(port, { ...options, codecs: encryptedFor(keys) }));
    expect(findings).toEqual([]);
  });

  test("are copied, exported and imported as they are, and stay readable or forgotten", async () => {
    const target: JournalOptions = { layout: layout === "packed" ? "linear" : "packed", table: "target" };
    const third: JournalOptions = { layout, table: "third" };
    const port = await engineWith(options, target, third);
    const keys = await keysOn(port);
    const codecs = encryptedFor(keys);
    const journal = await openJournal(port, { ...options, codecs });
    for (let n = 1; n <= 6; n++) unwrap(await journal.append("a", { payload: n % 2 ? anna(n) : ben(n) }));
    const expected = await collect(journal.replay("a"));
    await migrateJournal({ from: { port, journal: options }, to: { port, journal: target } });
    // Also with the keys at hand, an export holds only what is encrypted.
    const lines = await collect(exportEvents(port, { ...options, codecs }));
    expect(lines.join("")).not.toContain("salary");
    await importEvents(port, Readable.from(lines), third);
    if (target.layout === "packed") await compactJournal(port, target);
    const journals = [options, target, third].map((each) => openJournal(port, { ...each, codecs }));
    for (const each of await Promise.all(journals)) expect(await collect(each.replay("a"))).toEqual(expected);
    await keys.forget("anna");
    for (const each of await Promise.all(journals)) {
      const read = await collect(each.replay("a"));
      expect(read.map(({ gone }) => gone)).toEqual(
        [1, 2, 3, 4, 5, 6].map((n) => (n % 2 ? "forgotten" : undefined)),
      );
      expect(read.filter(({ gone }) => gone === undefined)).toEqual(
        expected.filter((_each, at) => at % 2 === 1),
      );
    }
  });
});

/** A payload of anna at `place`, and what reads it with these keys. */
async function sealed(keys: KeyStore) {
  const codecs = encryptedFor(keys);
  const place = { part: "event", persistenceId: "a", sequenceNr: 7 } as const;
  const encoded = await codecs.encode(anna(1), { manifest: "m" }, { ...place, content: anna(1) });
  const decode = async (stored: EncodedPayload, at: Parameters<typeof codecs.decode>[1] = place) =>
    codecs.decode(stored, at);
  return { encoded, decode, place };
}

describe("an encrypted payload", () => {
  test("is read only where it was stored, with all its bytes, by its key", async () => {
    const port = await engineWith({ table: "events" });
    const { encoded, decode, place } = await sealed(await keysOn(port));
    expect(await decode(encoded)).toEqual(anna(1));
    const corrupt = { code: "JOURNAL_PAYLOAD_CORRUPT", details: { serializerId: 742_004 } };
    for (const elsewhere of [
      { ...place, persistenceId: "b" },
      { ...place, sequenceNr: 8 },
      { ...place, part: "metadata" as const },
      { ...place, part: "snapshot" as const },
    ])
      await expect(decode(encoded, elsewhere)).rejects.toMatchObject(corrupt);
    await expect(decode({ ...encoded, manifest: "n" })).rejects.toMatchObject(corrupt);
    for (let at = 1; at < encoded.bytes.length; at++) {
      const changed = Uint8Array.from(encoded.bytes);
      changed[at] = (changed[at] as number) ^ 1;
      // A changed subject has no key; anything else is changed data.
      const codes = ["JOURNAL_PAYLOAD_CORRUPT", "JOURNAL_KEY_MISSING"];
      const error: unknown = await decode({ ...encoded, bytes: changed }).catch((thrown: unknown) => thrown);
      expect(codes).toContain((error as { code?: string }).code);
    }
    for (let length = 0; length < encoded.bytes.length; length++)
      await expect(decode({ ...encoded, bytes: encoded.bytes.subarray(0, length) })).rejects.toMatchObject(
        corrupt,
      );
    // Without a subject.
    const nobody = { ...encoded, bytes: Uint8Array.from(encoded.bytes).fill(0, 17, 19) };
    await expect(decode(nobody)).rejects.toMatchObject(corrupt);
    const later = { ...encoded, bytes: Uint8Array.from(encoded.bytes).fill(2, 0, 1) };
    expect(await decode(later)).toBe(later);
    const other = await engineWith({ table: "events" });
    const strange = await keysOn(other);
    await expect((await sealed(strange)).decode(encoded)).rejects.toMatchObject(corrupt);
  });

  test("whose key is nowhere is an error, and not forgotten", async () => {
    const { encoded } = await sealed(await keysOn(await engineWith({ table: "events" })));
    const codecs = encryptedFor(await keysOn(await engineWith({ table: "events" })));
    const place = { part: "event", persistenceId: "a", sequenceNr: 7 } as const;
    await expect(codecs.decode(encoded, place)).rejects.toMatchObject({
      code: "JOURNAL_KEY_MISSING",
      kind: "corrupt",
      details: { subject: "anna" },
    });
  });

  test.each([
    ["too short", new Uint8Array(5)],
    ["a string", "0123456789abcdef0123456789abcdef"],
    ["null", null],
  ])("is neither written nor read if the key store returns a key that is %s", async (_name, wrong) => {
    const keys = await keysOn(await engineWith({ table: "events" }));
    const { encoded, place } = await sealed(keys);
    const returned = wrong as unknown as Uint8Array;
    const unreadable = { code: "JOURNAL_KEY_UNREADABLE", details: { subject: "anna" } };
    for (const key of [returned, Promise.resolve(returned)]) {
      const codecs = encryptedFor({ ...keys, get: () => key, getOrCreate: () => key });
      await expect((async () => codecs.decode(encoded, place))()).rejects.toMatchObject(unreadable);
      const written = async () => codecs.encode(anna(1), {}, { ...place, content: anna(1) });
      await expect(written()).rejects.toMatchObject(unreadable);
    }
  });

  test("has another nonce each time, and is not encrypted twice", async () => {
    const keys = await keysOn(await engineWith({ table: "events" }));
    const codecs = encryptedFor(keys);
    const nonces = new Set<string>();
    for (let n = 0; n < 100; n++)
      nonces.add(Buffer.from((await sealed(keys)).encoded.bytes.subarray(1, 13)).toString("hex"));
    expect(nonces.size).toBe(100);
    const { encoded, place } = await sealed(keys);
    await expect(
      (async () => codecs.encode(encoded, {}, { ...place, content: anna(1) }))(),
    ).rejects.toMatchObject({ code: "JOURNAL_PAYLOAD_REFUSED" });
  });

  test.each([
    ["empty", ""],
    ["too long", "x".repeat(2049)],
    ["half a character", "\ud800"],
    ["no string", 5],
  ])("with a subject that is %s is rejected", async (_name, subject) => {
    const port = await engineWith({ table: "events" });
    const codecs = encryptedFor(await keysOn(port), { subjectOf: () => subject as string });
    const journal = await openJournal(port, { codecs });
    expect(await journal.append("a", { payload: 1 })).toMatchObject({
      kind: "rejected",
      error: { code: "JOURNAL_PAYLOAD_REFUSED" },
    });
  });
});

describe("encrypted snapshots", () => {
  test("of a forgotten subject count as absent, in one item and in several", async () => {
    const port = await engineWith({ table: "events" });
    await ensureTable(port, snapshotTableSpec("snapshots"));
    const keys = await keysOn(port);
    const codecs = encryptedFor(keys);
    const snapshots = await openSnapshots(port, { codecs, maxItemSize: 4096 });
    const large = { ...anna(2), pad: "x".repeat(20_000) };
    await snapshots.save("a", 1, ben(1));
    await snapshots.save("a", 2, large, { metadata: { why: "salary review" } });
    expect(await snapshots.load("a")).toMatchObject({
      sequenceNr: 2,
      state: large,
      serializerId: 742_001,
      metadata: { why: "salary review" },
    });
    await snapshots.save("a", 3, anna(3));
    const stored = Buffer.concat(
      (await itemsOf(port, "snapshots")).flatMap((item) =>
        Object.values(item).map(({ B = Buffer.of() }) => B),
      ),
    );
    expect(stored.includes("salary")).toBe(false);
    await keys.forget("anna");
    expect(await snapshots.load("a")).toMatchObject({ sequenceNr: 1, state: ben(1) });
    await keys.forget("ben");
    expect(await snapshots.load("a")).toBe(undefined);
    await expect(snapshots.save("a", 4, anna(4))).rejects.toMatchObject({
      code: "JOURNAL_SUBJECT_FORGOTTEN",
    });
  });

  test("are not taken for unreadable while keys are not available", async () => {
    const port = await engineWith({ table: "events" });
    await ensureTable(port, snapshotTableSpec("snapshots"));
    const keys = await keysOn(port);
    await (await openSnapshots(port, { codecs: encryptedFor(keys) })).save("a", 1, anna(1));
    const failing: KeyStore = { ...keys, get: () => Promise.reject(new Error("no connection")) };
    const snapshots = await openSnapshots(port, {
      codecs: encryptedFor(failing),
      onUnreadable: "replay-all",
    });
    await expect(snapshots.load("a")).rejects.toMatchObject({
      code: "JOURNAL_KEY_UNAVAILABLE",
      kind: "unavailable",
      retryable: true,
      ambiguous: false,
    });
  });
});

test("a process with a stale key decrypts and appends until its cache ends, and what it appends is forgotten", async () => {
  const clock = fakeClock();
  const port = await engineWith({ table: "events" });
  const stale = await keysOn(port, { clock, cacheMs: 60_000 });
  const journal = await openJournal(port, { codecs: encryptedFor(stale) });
  const writer = await journal.recover("a");
  unwrap(await writer.append({ payload: anna(1) }));
  await (await keysOn(port)).forget("anna");
  await clock.advance(59_999);
  unwrap(await writer.append({ payload: anna(2) }));
  expect((await collect(journal.replay("a"))).map(({ payload }) => payload)).toEqual([anna(1), anna(2)]);
  const elsewhere = await openJournal(port, { codecs: encryptedFor(await keysOn(port)) });
  expect((await collect(elsewhere.replay("a"))).map(({ gone }) => gone)).toEqual(["forgotten", "forgotten"]);
  await clock.advance(1);
  expect(await writer.append({ payload: anna(3) })).toMatchObject({
    kind: "rejected",
    error: { code: "JOURNAL_SUBJECT_FORGOTTEN" },
  });
  expect((await collect(journal.replay("a"))).map(({ gone }) => gone)).toEqual(["forgotten", "forgotten"]);
});

/** Messages that were received elsewhere. */
import { systemClock, wrapPort } from "@tablekeep/core";
import { expect, onTestFinished, test } from "vitest";
import { type Mail, openMail } from "../src/index.ts";
import { mailOnEngine } from "./engine-mail.ts";

const dayMs = 86_400_000;
const envelope = { from: "ann@example.org", to: ["ben@example.org"], helo: "h" };
const raw = (subject: string) => Buffer.from(`Subject: ${subject}\r\n\r\nneedle\r\n`);

/** Two stores on one table, with a clock that the test sets. */
async function twoStores() {
  let now = Date.parse("2026-11-17T10:20:30.400Z");
  const clock = { ...systemClock, now: () => now };
  const { mail, port } = await mailOnEngine({ clock });
  const other = await openMail(port, { clock, shards: 1 });
  onTestFinished(async () => {
    await Promise.all([mail.close(), other.close()]);
    await port.close();
  });
  const pass = (ms: number) => {
    now += ms;
  };
  return { mail, other, now: () => now, pass };
}

const seenBy = async (mail: Mail) => ({
  listed: (await mail.list()).items.map(({ subject }) => subject),
  offset: (await mail.list({ start: 1 })).items.map(({ subject }) => subject),
  count: await mail.count(),
  found: (await mail.search({ kind: "text", query: "needle" })).items.map(({ subject }) => subject),
  addressed: (await mail.search({ kind: "recipient", query: "ben@example.org" })).items.length,
});

test("keep their time, are found by every instance in their place, and expire as if they came now", async () => {
  const { mail, other, now, pass } = await twoStores();
  await mail.store(envelope, raw("new"));
  expect((await seenBy(other)).count).toBe(1);
  const old = { created: now() - 400 * dayMs, key: "old@mailhog.example" };
  const stored = await mail.importMessage(old, envelope, raw("old"));
  expect(stored).toMatchObject({ created: old.created, subject: "old" });
  // An hour that ended, and was counted and read before.
  const earlier = { created: now() - 3 * 3_600_000, key: "earlier" };
  pass(1_000);
  await other.importMessage(earlier, envelope, raw("earlier"));
  const all = {
    listed: ["new", "earlier", "old"],
    offset: ["earlier", "old"],
    count: 3,
    found: ["new", "earlier", "old"],
    addressed: 3,
  };
  for (const store of [mail, other]) expect(await seenBy(store)).toEqual(all);
  pass(6.9 * dayMs);
  for (const store of [mail, other]) expect(await seenBy(store)).toEqual(all);
  // The first one to be stored expires first: not the oldest one.
  pass(0.1 * dayMs - 500);
  for (const store of [mail, other]) expect((await seenBy(store)).listed).toEqual(["earlier"]);
  expect(await mail.count()).toBe(1);
  pass(dayMs);
  for (const store of [mail, other]) expect(await seenBy(store)).toMatchObject({ listed: [], count: 0 });
});

test("are stored once, by any number of imports at the same time, and again after a delete", async () => {
  const { mail, other, now } = await twoStores();
  const original = { created: now() - 30 * dayMs, key: "one" };
  const results = await Promise.all(
    [mail, other, mail, other].map((store) => store.importMessage(original, envelope, raw("one"))),
  );
  expect(results.filter((each) => each !== undefined)).toHaveLength(1);
  expect(await mail.importMessage(original, envelope, raw("one"))).toBeUndefined();
  for (const store of [mail, other])
    expect(await seenBy(store)).toMatchObject({ listed: ["one"], count: 1, found: ["one"], addressed: 1 });
  const [{ id } = { id: "" }] = (await mail.list()).items;
  expect(Buffer.from((await other.load(id))?.raw ?? [])).toEqual(raw("one"));
  expect(await other.deleteOne(id)).toBe(true);
  expect(await seenBy(mail)).toMatchObject({ listed: [], count: 0, found: [] });
  expect(await mail.importMessage(original, envelope, raw("one"))).toMatchObject({ id });
  await mail.deleteAll();
  expect(await other.importMessage(original, envelope, raw("one"))).toMatchObject({ id });
  expect(await seenBy(mail)).toMatchObject({ listed: ["one"], count: 1 });
});

test("keep an id of another store, whatever its shards, and are announced in the order of the import", async () => {
  const [source, target] = [await twoStores(), await twoStores()];
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) ids.push((await source.mail.store(envelope, raw(`n${n}`))).id);
  const stop = new AbortController();
  const announced: string[] = [];
  const watching = (async () => {
    for await (const { subject } of target.other.watch({ after: "", signal: stop.signal }))
      announced.push(subject);
  })();
  for (const id of ids.toReversed())
    await target.other.importMessage({ created: 0, key: id }, envelope, raw(`n${ids.indexOf(id)}`));
  expect((await target.mail.list()).items.map(({ id }) => id)).toEqual(ids.toReversed());
  await target.other.store(envelope, raw("announced"));
  const subjects = ids.map((_, n) => `n${n}`).toReversed();
  await expect.poll(() => announced).toEqual([...subjects, "announced"]);
  stop.abort();
  await watching;
});

test("are stored with one write on the engine, beside what is entered once for each hour", async () => {
  const { mail, port } = await mailOnEngine();
  onTestFinished(() => port.close());
  const operations: string[] = [];
  const counting = wrapPort(port, (operation, input, options, next) => {
    operations.push(operation);
    return next(operation, input, options);
  });
  const store = await openMail({ ...counting, atomicBatches: port.atomicBatches }, {});
  const original = (n: number) => ({ created: Date.parse("2026-01-02T03:04:05Z") + n, key: String(n) });
  await store.importMessage(original(1), envelope, raw("first"));
  operations.length = 0;
  await store.importMessage(original(2), envelope, raw("second"));
  expect(operations.filter((each) => each !== "GetItem")).toEqual(["TransactWriteItems"]);
  await Promise.all([mail.close(), store.close()]);
});

test("are not returned after a position that is read later, and are after an earlier one", async () => {
  const { mail, other, now, pass } = await twoStores();
  const old = (key: string) => ({ created: now() - 30 * dayMs, key });
  await mail.store(envelope, raw("newest"));
  await mail.importMessage(old("a"), envelope, raw("before"));
  const since = await other.position();
  pass(1);
  await mail.importMessage(old("b"), envelope, raw("between"));
  await mail.store(envelope, raw("after"));
  expect((await other.wait(undefined, { after: since }))?.subject).toBe("between");
  expect((await other.wait({ kind: "text", query: "after" }, { after: since }))?.subject).toBe("after");
  // The position of a store without new mail is a few minutes ago: imports since then are known.
  pass(10 * 60_000);
  const quiet = await other.position();
  await mail.importMessage(old("c"), envelope, raw("last"));
  expect((await other.wait(undefined, { after: quiet }))?.subject).toBe("last");
});

test("are not reported if they were deleted before they could be, and once if they are imported again", async () => {
  const { mail, other, now, pass } = await twoStores();
  const { id: since } = await mail.store(envelope, raw("first"));
  const original = { created: now() - dayMs, key: "again" };
  const { id = "" } = (await mail.importMessage(original, envelope, raw("again"))) ?? {};
  pass(1);
  await mail.deleteOne(id);
  pass(1);
  await mail.importMessage(original, envelope, raw("again"));
  pass(1);
  await mail.store(envelope, raw("last"));
  const seen: string[] = [];
  for await (const change of other.watchChanges({ after: since })) {
    seen.push(change.kind === "stored" ? change.summary.subject : change.kind);
    if (seen.at(-1) === "last") break;
  }
  expect(seen).toEqual(["deleted", "again", "last"]);
});

test.each([
  { created: -1, key: "x" },
  { created: 1.5, key: "x" },
  { created: 0, key: "" },
  { created: Date.parse("2999-01-01"), key: "x" },
  { created: 0, key: "x", position: 2_000_000 },
])("%j is rejected", async (original) => {
  const { mail } = await twoStores();
  await expect(mail.importMessage(original, envelope, raw("x"))).rejects.toMatchObject({
    code: "MAIL_OPTION_INVALID",
  });
});

test("have the marks that they are given from the beginning, in place of the tags in the header", async () => {
  const { mail, other, now } = await twoStores();
  const created = now() - dayMs;
  const tagged = Buffer.from("X-Tags: header\r\nSubject: tagged\r\n\r\n");
  const given = [
    [{}, { read: false, tags: ["header"] }],
    [{ read: true }, { read: true, tags: ["header"] }],
    [{ tags: [] }, { read: false, tags: [] }],
    [
      { read: true, tags: ["b", "a", "b"] },
      { read: true, tags: ["a", "b"] },
    ],
  ] as const;
  for (const [index, [marks, expected]] of given.entries()) {
    const stored = await mail.importMessage({ created, key: `${index}`, ...marks }, envelope, tagged);
    expect(stored).toMatchObject(expected);
    expect(await other.summary(stored?.id ?? "")).toMatchObject(expected);
  }
  const found = async (query: string) => (await other.search({ query }, { total: true })).total;
  expect([await found("is:read"), await found("tag:header"), await found("tag:b")]).toEqual([2, 2, 1]);
  const invalid = mail.importMessage({ created, key: "x", tags: ["a,b"] }, envelope, tagged);
  await expect(invalid).rejects.toMatchObject({ code: "MAIL_OPTION_INVALID" });
});

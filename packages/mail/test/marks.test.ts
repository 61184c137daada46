import { sleep, wrapPort } from "@tablekeep/core";
import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { type Mail, type MailChange, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail, mailOnEngine } from "./engine-mail.ts";

const found = async (mail: Mail, query: string) =>
  (await mail.search({ query })).items.map(({ subject }) => subject);

test("marks are stored with the message, and seen by another instance and by queries", async () => {
  const { mail, port } = await mailOnEngine();
  const { id } = await mail.store(envelope, letter("first"));
  await mail.store(envelope, letter("second"));
  expect(await mail.mark([id, "no id"], { read: true, addTags: ["to check", "Shop"] })).toBe(1);
  const other = await openMail(port);
  expect(await other.summary(id)).toMatchObject({ read: true, tags: ["Shop", "to check"] });
  expect(await other.load(id)).toMatchObject({ read: true, tags: ["Shop", "to check"] });
  expect(await found(other, "is:unread")).toEqual(["second"]);
  expect(await found(other, "is:read")).toEqual(["first"]);
  expect(await found(other, 'tag:"TO CHECK" tag:shop')).toEqual(["first"]);
  expect(await found(other, "-tag:shop hello")).toEqual(["second"]);
  await other.mark({ query: "is:tagged" }, { read: false, removeTags: ["Shop"] });
  expect(await mail.summary(id)).toMatchObject({ read: false, tags: ["to check"] });
  await other.mark([id], { tags: [] });
  expect(await found(mail, "is:tagged")).toEqual([]);
});

test("the header X-Tags sets tags", async () => {
  const { mail } = await mailOnEngine();
  const raw = Buffer.from(
    "X-Tags: shop, =?utf-8?q?Gr=C3=BC=C3=9Fe?=,\r\n  shop,two  words,,\r\nSubject: s\r\n\r\nhello",
  );
  const { id, tags } = await mail.store(envelope, raw);
  expect(tags).toEqual(["Grüße", "shop", "two words"]);
  expect((await mail.summary(id))?.tags).toEqual(tags);
  expect(await found(mail, "tag:grüsse")).toEqual([]);
  expect(await found(mail, "tag:GRÜßE")).toEqual(["s"]);
});

test("two instances that mark the same messages at once lose nothing", async () => {
  const { mail, port } = await mailOnEngine();
  const other = await openMail(port);
  const ids = (await Promise.all([1, 2, 3].map((n) => mail.store(envelope, letter(`${n}`))))).map(
    ({ id }) => id,
  );
  const work = Array.from({ length: 20 }, (_, n) =>
    (n % 2 === 0 ? mail : other).mark(ids, n === 7 ? { read: true } : { addTags: [`t${n}`] }),
  );
  await Promise.all(work);
  const expected = Array.from({ length: 20 }, (_, n) => `t${n}`)
    .filter((tag) => tag !== "t7")
    .sort();
  for (const id of ids) expect(await mail.summary(id)).toMatchObject({ read: true, tags: expected });
});

test("a message that is deleted while it is marked stays deleted", async () => {
  const port = await engineWithMail();
  const mail = await openMail(port);
  const { id } = await mail.store(envelope, letter("gone"));
  const { id: kept } = await mail.store(envelope, letter("kept"));
  let deleted = false;
  const racing = wrapPort(port, async (operation, input, options, next) => {
    if (operation === "TransactWriteItems" && !deleted) {
      deleted = true;
      await mail.deleteOne(id);
    }
    return next(operation, input, options);
  });
  expect(await (await openMail(racing)).mark([id, kept], { read: true })).toBe(1);
  expect(await mail.summary(id)).toBeUndefined();
  expect(await mail.summary(kept)).toMatchObject({ read: true });
  expect(await mail.count()).toBe(1);
});

test("a mark whose answer is lost is made once, and reported to watchers of all instances", async () => {
  const port = await engineWithMail();
  const mail = await openMail(port, { pollMs: 10 });
  const { id } = await mail.store(envelope, letter("s"));
  const losing = faultyPort(port, "seed=1 faults=[{op:TransactWriteItems,nth:1,kind:lost-after-apply}]");
  await (await openMail(losing)).mark([id], { addTags: ["x"] });
  await mail.mark([id], { addTags: ["y"] });
  const changes = await changesUntil(mail, id, count(2));
  expect(changes).toMatchObject([1, 2].map(() => ({ kind: "marked", messages: [{ id, tags: ["x", "y"] }] })));
});

test("a message has at most 50 tags, even when two instances add them", async () => {
  const { mail, port } = await mailOnEngine();
  const other = await openMail(port);
  const { id } = await mail.store(envelope, letter("s"));
  const tags = (from: number, count: number) => Array.from({ length: count }, (_, n) => `t${from + n}`);
  const outcomes = await Promise.allSettled([
    mail.mark([id], { addTags: tags(0, 40) }),
    other.mark([id], { addTags: tags(40, 40) }),
  ]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "MAIL_TAGS_TOO_MANY", details: { id, maximum: 50 } },
  });
  expect((await mail.summary(id))?.tags).toHaveLength(40);
});

test.each([
  [{}, "marks"],
  [{ tags: [], addTags: ["a"] }, "marks"],
  [{ tags: ["a,b"] }, "tags"],
  [{ addTags: [" a"] }, "addTags"],
  [{ removeTags: "a" as never }, "removeTags"],
  [{ read: 1 as never }, "read"],
])("rejects the marks %j", async (marks, option) => {
  const { mail } = await mailOnEngine();
  await expect(mail.mark([], marks)).rejects.toMatchObject({
    code: "MAIL_OPTION_INVALID",
    details: { option },
  });
});

test("messages of the layout mhdynamo have no marks", async () => {
  const { mail } = await mailOnEngine({ layout: "mhdynamo" });
  await expect(mail.mark(["x"], { read: true })).rejects.toMatchObject({ code: "MAIL_MARKS_UNSUPPORTED" });
});

test("marks and deletes of another instance are reported, with cursors", async () => {
  const { mail, port } = await mailOnEngine({ pollMs: 10 });
  const other = await openMail(port, { pollMs: 10 });
  const ids = (await Promise.all([1, 2].map((n) => mail.store(envelope, letter(`${n}`))))).map(
    ({ id }) => id,
  );
  const stop = new AbortController();
  const seen: MailChange[] = [];
  let times = 1;
  const watching = (async () => {
    for await (const change of mail.watchChanges({ signal: stop.signal })) {
      seen.push(change);
      if (change.kind === "deleted") stop.abort();
    }
  })();
  await expect
    .poll(async () => {
      await other.mark(ids, { read: ++times % 2 === 0 });
      return seen.length;
    })
    .toBeGreaterThan(0);
  await other.deleteMany(ids);
  await watching;
  expect(seen.at(-1)).toMatchObject({ kind: "deleted", cursor: expect.any(String) });
  expect(new Set((seen.at(-1) as Extract<MailChange, { kind: "deleted" }>).ids)).toEqual(new Set(ids));
});

test("a watcher that resumes gets deletes and marks that it missed, on the same instance and on another", async () => {
  const { mail, port } = await mailOnEngine({ pollMs: 10 });
  const stop = new AbortController();
  const first = nextChange(mail, stop, ({ kind }) => kind === "stored");
  const stored = await storeUntil(mail, first);
  const { cursor } = (stored as Extract<MailChange, { kind: "stored" }>).summary;
  const { id: one } = await mail.store(envelope, letter("one"));
  const { id: two } = await mail.store(envelope, letter("two"));
  await mail.mark([one], { addTags: ["a"] });
  await mail.mark([one], { addTags: ["b"] });
  await mail.deleteOne(two);
  for (const store of [mail, await openMail(port, { pollMs: 10 })]) {
    const changes = await changesUntil(store, cursor, ({ kind }) => kind === "deleted");
    expect(changes.filter(({ kind }) => kind === "marked")).toEqual(
      [1, 2].map(() => ({
        kind: "marked",
        messages: [{ id: one, read: false, tags: ["a", "b"] }],
        cursor: expect.any(String),
      })),
    );
    expect(changes.at(-1)).toMatchObject({ kind: "deleted", ids: [two] });
    // From the cursor of the delete on, nothing is repeated by the same instance.
    const { cursor: last } = changes.at(-1) as { cursor: string };
    await store.mark([one], { addTags: ["c"] });
    const later = await changesUntil(store, last, ({ kind }) => kind === "marked");
    expect(later).toMatchObject([{ kind: "marked", messages: [{ tags: ["a", "b", "c"] }] }]);
    await store.mark([one], { removeTags: ["c"] });
    await store.mark([one], { removeTags: ["c"] });
  }
});

test("a watcher that resumes after all messages were deleted gets cleared before later messages", async () => {
  const { mail, port } = await mailOnEngine({ pollMs: 10 });
  const stop = new AbortController();
  const first = await storeUntil(
    mail,
    nextChange(mail, stop, ({ kind }) => kind === "stored"),
  );
  const { cursor } = (first as Extract<MailChange, { kind: "stored" }>).summary;
  await mail.deleteAll();
  const { id } = await mail.store(envelope, letter("later"));
  for (const store of [mail, await openMail(port, { pollMs: 10 })]) {
    const changes = await changesUntil(
      store,
      cursor,
      (change) => change.kind === "stored" && change.summary.id === id,
    );
    expect(changes.map(({ kind }) => kind)).toEqual(["cleared", "stored"]);
    const { cursor: next } = (changes.at(-1) as Extract<MailChange, { kind: "stored" }>).summary;
    await store.mark([id], { addTags: [`x${Math.random()}`] });
    expect(await changesUntil(store, next, ({ kind }) => kind === "marked")).toHaveLength(1);
  }
});

test("a cursor of two days ago is answered with reset", async () => {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
  const port = await engineWithMail({ clock });
  const mail = await openMail(port, { clock });
  const kinds: string[] = [];
  await clock.autoAdvance(async () => {
    const { id } = await mail.store(envelope, letter("old"));
    const { id: gone } = await mail.store(envelope, letter("gone"));
    await mail.deleteOne(gone);
    await sleep(clock, 2 * 86_400_000);
    const { id: last } = await mail.store(envelope, letter("new"));
    const stop = new AbortController();
    for await (const change of mail.watchChanges({ after: id, signal: stop.signal })) {
      kinds.push(change.kind);
      if (change.kind === "stored" && change.summary.id === last) stop.abort();
    }
    await mail.close();
  });
  expect(kinds).toEqual(["reset", "stored"]);
});

async function nextChange(mail: Mail, stop: AbortController, isWanted: (change: MailChange) => boolean) {
  for await (const change of mail.watchChanges({ signal: stop.signal })) if (isWanted(change)) return change;
  return undefined;
}

/** Stores messages until a watcher, which takes a moment to start, has received one. */
async function storeUntil(mail: Mail, received: Promise<MailChange | undefined>) {
  let change: MailChange | undefined;
  void received.then((each) => {
    change = each;
  });
  await expect
    .poll(async () => {
      await mail.store(envelope, letter("first"));
      return change;
    })
    .toBeDefined();
  // Those that were stored after it count as seen as well.
  return change;
}

async function changesUntil(mail: Mail, after: string, isLast: (change: MailChange) => boolean) {
  const changes: MailChange[] = [];
  for await (const change of mail.watchChanges({ after })) {
    changes.push(change);
    if (isLast(change)) return changes;
  }
  return changes;
}

/** True for the nth change. */
function count(last: number): () => boolean {
  let n = 0;
  return () => ++n === last;
}

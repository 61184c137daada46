import assert from "node:assert/strict";
import { envelope, letter, type MailCase, rejectsWith, storeLetters, subjectsOf } from "./mail-case.ts";

/** Deletes, waiting and watching, two instances, faults. */
export const changeCases: readonly MailCase[] = [
  {
    name: "a deleted message disappears from every call, and is counted once",
    async run({ mail }) {
      const [first] = await storeLetters(mail, 3);
      const id = first?.id ?? "";
      assert.equal(await mail.deleteOne(id), true);
      assert.equal(await mail.deleteOne(id), false);
      assert.deepEqual(subjectsOf((await mail.list()).items), ["3", "2"]);
      assert.equal((await mail.search({ kind: "containing", query: "hello" }, { total: true })).total, 2);
      assert.equal(
        (await mail.search({ kind: "recipient", query: "bob@example.com" }, { total: true })).total,
        2,
      );
      assert.equal(await mail.count(), 2);
    },
  },
  {
    name: "deletes many messages by ids or by a search",
    async run({ mail }) {
      const stored = await storeLetters(mail, 8);
      const ids = stored.slice(0, 3).map(({ id }) => id);
      assert.equal(await mail.deleteMany([...ids, ids[0] ?? "", "no id"]), 3);
      await mail.store(envelope, letter("special", "a unique word\r\n"));
      assert.equal(await mail.deleteMany({ kind: "containing", query: "unique" }), 1);
      assert.deepEqual(subjectsOf((await mail.list()).items), ["8", "7", "6", "5", "4"]);
    },
  },
  {
    name: "deletes more messages than fit into a transaction",
    async run({ mail }) {
      await Promise.all(Array.from({ length: 120 }, (_, n) => mail.store(envelope, letter(String(n)))));
      assert.equal(await mail.count(), 120);
      assert.equal(await mail.deleteAll(), 120);
      assert.equal(await mail.count(), 0);
      assert.deepEqual((await mail.list()).items, []);
    },
  },
  {
    name: "after deleting all messages, only later ones are found, by every call of every instance",
    async run({ mail, another }) {
      const other = await another();
      const old = await storeLetters(mail, 5);
      const page = await other.list();
      assert.equal(await other.count(), 5);
      assert.equal(await mail.deleteAll(), 5);
      const { id } = await other.store(envelope, letter("later"));
      for (const each of [mail, other]) {
        assert.deepEqual(subjectsOf((await each.list()).items), ["later"]);
        assert.equal(await each.count(), 1);
        for (const [kind, query] of [
          ["containing", "hello"],
          ["text", "hello"],
          ["from", "an"],
          ["to", "bob@"],
          ["recipient", "bob@example.com"],
        ] as const)
          assert.deepEqual(
            (await each.search({ kind, query })).items.map((found) => found.id),
            [id],
            kind,
          );
        for (const { id: gone } of old) {
          assert.equal(await each.load(gone), undefined);
          assert.equal(await each.summary(gone), undefined);
          assert.equal(await each.deleteOne(gone), false);
        }
        for await (const message of each.loadEach(page.items)) assert.fail(`loaded ${message.id}`);
        assert.equal((await each.wait(undefined))?.id, id);
      }
      await mail.reclaim();
      assert.deepEqual(subjectsOf((await other.list()).items), ["later"]);
      assert.equal(await other.deleteAll(), 1);
      assert.equal(await mail.deleteAll(), 0);
    },
  },
  {
    name: "two concurrent deletes of the same messages count each of them once",
    async run({ mail, another }) {
      const ids = (await storeLetters(mail, 20)).map(({ id }) => id);
      const other = await another();
      const counts = await Promise.all([mail.deleteMany(ids), other.deleteMany(ids.toReversed())]);
      assert.equal(counts[0] + counts[1], 20);
      assert.equal(await mail.count(), 0);
    },
  },
  {
    name: "another instance sees the changes of this one",
    async run({ mail, another }) {
      const other = await another();
      const { id } = await mail.store(envelope, letter("shared"));
      assert.deepEqual(subjectsOf((await other.list()).items), ["shared"]);
      assert.equal(await other.deleteOne(id), true);
      assert.equal(await mail.count(), 0);
    },
  },
  {
    name: "waiting finds existing messages, and those of another instance",
    async run({ mail, another }) {
      const other = await another();
      await mail.store(envelope, letter("old"));
      assert.equal((await mail.wait({ kind: "text", query: "old" }))?.subject, "old");
      const waiting = mail.wait({ kind: "text", query: "new" }, { timeoutMs: 30_000 });
      await other.store(envelope, letter("other"));
      const stored = await other.store(envelope, letter("new"));
      assert.equal((await waiting)?.id, stored.id);
      assert.equal(await mail.wait({ kind: "text", query: "never" }, { timeoutMs: 50 }), undefined);
    },
  },
  {
    name: "watching returns every new message of all instances once, and continues after an id",
    async run({ mail, another }) {
      const other = await another();
      await mail.store(envelope, letter("before"));
      const watcher = mail.watch()[Symbol.asyncIterator]();
      const first = watcher.next();
      // The watch has begun after its first poll: a message of its own instance is reported at once.
      const begun = await storeUntil(first, () => mail.store(envelope, letter("begin")));
      const sent = [await other.store(envelope, letter("a")), await mail.store(envelope, letter("b"))];
      const seen = new Set<string>();
      while (!sent.every(({ id }) => seen.has(id))) {
        const { value } = await watcher.next();
        assert.ok(value !== undefined && !seen.has(value.id), "an id came twice, or the watch ended");
        assert.notEqual(value.subject, "before");
        seen.add(value.id);
      }
      await watcher.return?.();
      const again = other.watch({ after: begun.id })[Symbol.asyncIterator]();
      const { value } = await again.next();
      assert.ok(value !== undefined && value.id > begun.id);
      await again.return?.();
    },
  },
  {
    name: "an imported message is listed, and announced once to watchers of another instance",
    async run({ mail, another }) {
      const other = await another();
      const { id } = await mail.store(envelope, letter("first"));
      const original = { created: Date.parse("2026-01-02T03:04:05Z"), key: "elsewhere" };
      assert.equal((await mail.importMessage(original, envelope, letter("imported")))?.subject, "imported");
      await mail.store(envelope, letter("last"));
      const seen: string[] = [];
      for await (const { subject } of other.watch({ after: id })) {
        seen.push(subject);
        if (subject === "last") break;
      }
      assert.deepEqual(seen, ["imported", "last"]);
      assert.equal(await other.count(), 3);
    },
  },
  {
    name: "watching changes reports every deleted message once, after it was stored",
    async run({ mail }) {
      const changes = mail.watchChanges()[Symbol.asyncIterator]();
      const begun = await storeUntil(changes.next(), () => mail.store(envelope, letter("begin")));
      const stored = await storeLetters(mail, 130);
      const ids = stored.map(({ id }) => id);
      await mail.deleteOne(ids[0] ?? "");
      await mail.deleteOne("no id");
      await mail.deleteMany(ids.slice(0, 3));
      await mail.store(envelope, letter("special", "a unique word\r\n"));
      await mail.deleteMany({ kind: "containing", query: "unique" });
      await mail.deleteAll();
      const there = new Set([begun.id]);
      const isKnown = (id: string) => there.has(id) || !ids.includes(id);
      const deleted: string[] = [];
      while (!ids.every((id) => deleted.includes(id))) {
        const { value } = await changes.next();
        assert.ok(value !== undefined, "the watch ended");
        if (value.kind === "stored") {
          there.add(value.summary.id);
          continue;
        }
        if (value.kind === "cleared") {
          deleted.push(...[...there].filter((id) => !deleted.includes(id)));
          continue;
        }
        assert.ok(value.ids.every(isKnown), "a message was deleted before it was stored");
        deleted.push(...value.ids);
      }
      assert.equal(new Set(deleted).size, deleted.length);
      assert.ok(deleted.length >= 132);
      await changes.return?.();
    },
  },
  {
    name: "a closed store rejects calls, and may be closed twice",
    async run({ another }) {
      const other = await another();
      await other.close();
      await other.close();
      await rejectsWith(other.list(), "MAIL_CLOSED");
    },
  },
  {
    name: "a lost answer to the last write of a store is settled",
    needs: "faults",
    async run({ mail, withFaults }) {
      const other = await withFaults("seed=1 faults=[{nth:1,op:PutItem,kind:lost-after-apply}]");
      const { id } = await other.store(envelope, letter("lost"));
      assert.deepEqual(
        (await mail.list()).items.map((each) => each.id),
        [id],
      );
      assert.equal(await mail.count(), 1);
    },
  },
  {
    name: "distinguishes an unreachable store from one that rejects, and stores nothing",
    needs: "faults",
    async run({ mail, withFaults }) {
      const other = await withFaults("seed=1 faults=[{op:PutItem,kind:throttle}]");
      const { ambiguous } = await rejectsWith(
        other.store(envelope, letter("throttled"), { deadlineMs: 300 }),
        "MAIL_STORE_UNAVAILABLE",
      );
      assert.equal(ambiguous, false);
      assert.equal(await mail.count(), 0);
    },
  },
];

async function storeUntil<Result, Stored>(
  first: Promise<Result>,
  store: () => Promise<Stored>,
): Promise<Stored> {
  let done = false;
  void first.then(() => {
    done = true;
  });
  for (let tries = 0; tries < 1000; tries++) {
    const stored = await store();
    await new Promise((resolve) => setImmediate(resolve));
    if (done) return stored;
  }
  throw new Error("nothing is watched");
}

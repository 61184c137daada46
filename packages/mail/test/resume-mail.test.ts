import { sleep, wrapPort } from "@tablekeep/core";
import { fakeClock, faultyPort, seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { type Mail, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

const seeds = [1, 2, 3];

/** A table on which commits take up to 5 seconds after the id was made, so that messages appear in another order. */
async function tableWithLateCommits(layout: "sharded" | "mhdynamo", seed: number) {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 58) });
  const random = seededRandom(seed);
  const plain = faultyPort(await engineWithMail({ layout }), "seed=1 faults=[]", { clock });
  const port = wrapPort(plain, async (operation, input, options, next) => {
    const isCommit =
      /^(PutItem|BatchWriteItem|TransactWriteItems)$/.test(operation) &&
      /"m#|CreatedDate/.test(JSON.stringify(input));
    if (isCommit && random() < 0.4) await sleep(clock, Math.floor(random() * 5000));
    return next(operation, input, options);
  });
  const open = () => openMail(port, { layout, clock });
  return {
    clock,
    random,
    open,
    run: (work: () => Promise<void>) => clock.autoAdvance(work, { busy: () => plain.busy() }),
  };
}

/**
 * A client that disconnects repeatedly, and continues after the last message that it has processed. With `isSame`, it comes
 * back to the same instance, and also disconnects in the middle of what it missed.
 */
async function follow(
  { clock, random }: Awaited<ReturnType<typeof tableWithLateCommits>>,
  connect: () => Mail | Promise<Mail>,
  isSame: boolean,
  isOver: () => boolean,
): Promise<{ id: string; at: number }[]> {
  const seen: { id: string; at: number }[] = [];
  // From the first connection on nothing may be missed.
  let cursor: string | undefined;
  while (!isOver()) {
    const gone = new AbortController();
    clock.after(cursor === undefined ? 30_000 : Math.floor(random() * 4000), () => gone.abort());
    const most = isSame ? 1 + Math.floor(random() * 8) : Number.POSITIVE_INFINITY;
    let processed = 0;
    for await (const message of (await connect()).watch({ signal: gone.signal, after: cursor })) {
      seen.push({ id: message.id, at: clock.now() });
      cursor = message.cursor;
      if (++processed >= most) gone.abort();
    }
    await sleep(clock, Math.floor(random() * (random() < 0.2 ? 30_000 : 3000)));
  }
  return seen;
}

async function sendAll(
  { clock, random }: Awaited<ReturnType<typeof tableWithLateCommits>>,
  stores: readonly Mail[],
) {
  const sent: Promise<string>[] = [];
  await sleep(clock, 1000);
  for (let n = 0; n < 40; n++) {
    const store = stores[n % stores.length] as Mail;
    sent.push(n % 3 === 2 ? importOne(store, clock.now(), n) : storeOne(store, clock.now(), n));
    await sleep(clock, Math.floor(random() * 300));
  }
  return Promise.all(sent);
}

/** When messages were sent, by id. */
const sentAt = new Map<string, number>();

async function storeOne(store: Mail, now: number, n: number): Promise<string> {
  const { id } = await store.store(envelope, letter(String(n)));
  sentAt.set(id, now);
  return id;
}

/** How long ago imported messages were received elsewhere. */
const ages = [400 * 86_400_000, 7_200_000, 60_000, 10];

async function importOne(store: Mail, now: number, n: number): Promise<string> {
  const original = { created: now - (ages[n % ages.length] ?? 0), key: `${now} ${n}` };
  const id = (await store.importMessage(original, envelope, letter(String(n))))?.id ?? "not stored";
  sentAt.set(id, now);
  return id;
}

describe.each(["sharded", "mhdynamo"] as const)("a client that resumes with its cursor, %s", (layout) => {
  test.each(seeds)(
    "gets every message of both instances exactly once, although commits are late (seed %i)",
    async (seed) => {
      const table = await tableWithLateCommits(layout, seed);
      await table.run(async () => {
        const mail = await table.open();
        const other = await table.open();
        let over = false;
        const following = follow(
          table,
          () => mail,
          true,
          () => over,
        );
        const sent = await sendAll(table, [mail, other]);
        await sleep(table.clock, 45_000);
        over = true;
        const seen = (await following).map(({ id }) => id);
        expect(seen.toSorted()).toEqual(sent.toSorted());
        await mail.close();
        await other.close();
      });
    },
  );

  test.each(seeds)(
    "misses none on another instance, and gets none again that is older than 30 seconds (seed %i)",
    async (seed) => {
      const table = await tableWithLateCommits(layout, seed);
      await table.run(async () => {
        const senders = [await table.open(), await table.open()];
        let over = false;
        const following = follow(table, table.open, false, () => over);
        const sent = await sendAll(table, senders);
        await sleep(table.clock, 45_000);
        over = true;
        const seen = await following;
        expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(sent));
        for (const { id, at } of seen) {
          const again = seen.filter((each) => each.id === id && each.at > at);
          for (const each of again)
            expect(newestBefore(seen, each.at) - (sentAt.get(id) ?? 0)).toBeLessThanOrEqual(35_000);
        }
        for (const each of senders) await each.close();
      });
    },
  );
});

function newestBefore(seen: readonly { id: string; at: number }[], at: number): number {
  return Math.max(0, ...seen.filter((each) => each.at < at).map(({ id }) => sentAt.get(id) ?? 0));
}

describe.each(["sharded", "mhdynamo"] as const)("waiting for the next message, %s", (layout) => {
  test.each(seeds)(
    "in a chain sees all messages that match, whenever they are committed (seed %i)",
    async (seed) => {
      const table = await tableWithLateCommits(layout, seed);
      await table.run(async () => {
        const mail = await table.open();
        const other = await table.open();
        const search = { kind: "recipient", query: "chain@example.org" } as const;
        const to = (address: string) => ({ ...envelope, to: [address] });
        const { id: first } = await mail.store(to("chain@example.org"), letter("first"));
        let last = await mail.wait(search);
        expect(last?.id).toBe(first);
        const sending = Promise.all(
          Array.from({ length: 20 }, async (_, n) => {
            const sender = n % 2 === 0 ? mail : other;
            const given = to(n % 4 === 3 ? "other@example.org" : "chain@example.org");
            const original = { created: table.clock.now() - (ages[n % ages.length] ?? 0), key: String(n) };
            const stored = await (n % 3 === 0
              ? sender.importMessage(original, given, letter(String(n)))
              : sender.store(given, letter(String(n))));
            return n % 4 === 3 ? [] : [stored?.id ?? "not stored"];
          }),
        );
        const seen: string[] = [];
        for (let n = 0; n < 15; n++) {
          last = await mail.wait(search, { after: last?.cursor, timeoutMs: 60_000 });
          seen.push(last?.id ?? "none");
        }
        expect(seen.toSorted()).toEqual((await sending).flat().toSorted());
        expect(await mail.wait(search, { after: last?.cursor, timeoutMs: 1 })).toBeUndefined();
        // Here the instance returns them in the order in which they were announced.
        expect((await mail.wait(search, { after: "" }))?.id).toBe(first);
        await mail.close();
        await other.close();
      });
    },
  );

  test("rejects an invalid cursor", async () => {
    const mail = await openMail(await engineWithMail({ layout }), { layout });
    await expect(mail.wait(undefined, { after: "x" })).rejects.toMatchObject({ code: "MAIL_CURSOR_INVALID" });
    const watching = mail.watch({ after: "x~12345678" })[Symbol.asyncIterator]();
    await expect(watching.next()).rejects.toMatchObject({ code: "MAIL_CURSOR_INVALID" });
    await mail.close();
  });
});

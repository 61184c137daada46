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
      /^(PutItem|BatchWriteItem)$/.test(operation) && /"m#|CreatedDate/.test(JSON.stringify(input));
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
    sent.push(store.store(envelope, letter(String(n))).then(({ id }) => id));
    await sleep(clock, Math.floor(random() * 300));
  }
  return Promise.all(sent);
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
            expect(newestBefore(seen, each.at) - createdOf(id)).toBeLessThanOrEqual(35_000);
        }
        for (const each of senders) await each.close();
      });
    },
  );
});

/** The time in an id of either layout. */
function createdOf(id: string): number {
  if (id.includes("|")) return Number(id.slice(0, 13));
  const digits = "0123456789abcdefghjkmnpqrstvwxyz";
  return Array.from(id.slice(0, 10)).reduce((ms, digit) => ms * 32 + digits.indexOf(digit), 0);
}

function newestBefore(seen: readonly { id: string; at: number }[], at: number): number {
  return Math.max(0, ...seen.filter((each) => each.at < at).map(({ id }) => createdOf(id)));
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
            const { id } = await (n % 2 === 0 ? mail : other).store(
              to(n % 4 === 3 ? "other@example.org" : "chain@example.org"),
              letter(String(n)),
            );
            return n % 4 === 3 ? [] : [id];
          }),
        );
        const seen: string[] = [];
        for (let n = 0; n < 15; n++) {
          last = await mail.wait(search, { after: last?.cursor, timeoutMs: 60_000 });
          seen.push(last?.id ?? "none");
        }
        expect(seen.toSorted()).toEqual((await sending).flat().toSorted());
        expect(await mail.wait(search, { after: last?.cursor, timeoutMs: 1 })).toBeUndefined();
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

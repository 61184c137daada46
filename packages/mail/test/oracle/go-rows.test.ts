import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { fakeClock } from "@tablekeep/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { mailhogPart, mailTableSpec, openMail } from "../../src/index.ts";
import { damaged, goItem, goMessage, type Row, rows } from "./go-rows.ts";
import { search } from "./mail-arbitraries.ts";
import { finds, type Remembered } from "./plain-reader.ts";

const ttlSeconds = 7 * 86_400;

/** A row that readers must see. `whole`: nothing of it is damaged. */
interface Known extends Remembered {
  readonly whole: boolean;
}

/** A table with these rows, a store on it, and what is there, newest first. */
async function tableOf(given: readonly Row[]) {
  const clock = fakeClock({ startAt: Date.UTC(2050, 2, 10, 11, 59, 58) });
  const options = { layout: "mhdynamo", table: "mailhog", clock } as const;
  const port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, mailTableSpec(options));
  const mail = await openMail(port, options);
  const known: Known[] = [];
  let unreadable = 0;
  for (const [at, { by, envelope, raw, afterMs, damage }] of given.entries()) {
    clock.jump(afterMs);
    if (by === "us") {
      known.push({ ...(await mail.store(envelope, raw)), envelope, raw, whole: true });
      continue;
    }
    const created = clock.now();
    const id = `${created}${String(500_000 + at)}|${Buffer.alloc(32, at + 1).toString("base64url")}=@mailhog.example`;
    // The Go package keeps no line end after the last line.
    const data = raw.toString("utf8").replace(/\r\n$/, "");
    const received = { id, created, envelope, raw: Buffer.from(data === "" ? "" : `${data}\r\n`) };
    const { item, readable } =
      by === "damaged"
        ? damaged(goItem(received, ttlSeconds), damage)
        : { item: goItem(received, ttlSeconds), readable: true };
    await port.putItem({ TableName: "mailhog", Item: item });
    if (readable) known.push({ ...received, whole: by === "go" });
    else unreadable++;
  }
  const now = Math.floor(clock.now() / 1000);
  const isLive = ({ created }: Known) => Math.floor(created / 1000) + ttlSeconds > now;
  const live = known.filter(isLive).toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return { port, mail, live, unreadable };
}

test("every call reads a table with rows of MailHog, of this store and damaged ones correctly", async () => {
  const property = fc.asyncProperty(
    rows,
    fc.array(search, { minLength: 4, maxLength: 8 }),
    async (given, searches) => {
      const { port, mail, live } = await tableOf(given);
      const ids = live.map(({ id }) => id);

      const walked: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await mail.list({ limit: 2, cursor });
        walked.push(...page.items.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(walked).toEqual(ids);
      const { items } = await mail.list({ limit: 100 });
      expect((await mail.list({ start: 1, limit: 3 })).items.map(({ id }) => id)).toEqual(ids.slice(1, 4));
      expect(await mail.count()).toBe(ids.length);

      for await (const message of mail.loadEach(items)) {
        const known = live.find(({ id }) => id === message.id) as Known;
        expect((await mail.summary(message.id))?.id).toBe(message.id);
        expect(Buffer.from(message.raw)).toEqual(known.raw);
        const json = JSON.parse([...message.mailhogJson()].join("")) as object;
        expect(json).toEqual(JSON.parse(JSON.stringify(message.mailhog())));
        const { headers, body } = message.mailhogText();
        expect({ Headers: headers, Body: [...body].join("") }).toEqual({
          Headers: message.mailhog().Content.Headers,
          Body: message.mailhog().Content.Body,
        });
        if (!known.whole) continue;
        const expected = { ...goMessage(known), ID: known.id };
        expect(json).toEqual(JSON.parse(JSON.stringify(expected)));
        expect((await mailhogPart(message.raw, 0)) === undefined).toBe(
          (expected.MIME?.Parts ?? null) === null,
        );
      }

      const whole = live.filter((each) => each.whole);
      for (const each of searches) {
        const found = (await mail.search(each)).items.map(({ id }) => id);
        // Searches need not find damaged messages; they find all others exactly.
        expect(found.filter((id) => whole.some((known) => known.id === id))).toEqual(
          whole.filter((known) => finds(each, known)).map(({ id }) => id),
        );
      }
      // Where there is no message, only the clock would end a wait.
      if (ids.length > 0) expect((await mail.wait(undefined))?.id).toBe(ids[0]);
      if (ids.length > 0) expect((await mail.wait(undefined, { after: "" }))?.id).toBe(ids.at(-1));
      const watching = mail.watch({ after: "0000000000000000000|x" })[Symbol.asyncIterator]();
      for (const id of ids.toReversed()) expect((await watching.next()).value?.id).toBe(id);
      await watching.return?.();

      if (ids[0] !== undefined) expect(await mail.deleteOne(ids[0])).toBe(true);
      expect(await mail.deleteMany(ids)).toBe(Math.max(0, ids.length - 1));
      // Items that are not messages stay: they may belong to another program.
      const left = await port.scan({ TableName: "mailhog", Select: "COUNT" });
      expect(await mail.deleteAll()).toBe(0);
      expect(await mail.count()).toBe(0);
      expect((await port.scan({ TableName: "mailhog", Select: "COUNT" })).Count).toBe(left.Count);
      await mail.close();
      await port.close();
    },
  );
  await fc.assert(property, { numRuns: 40 });
}, 600_000);

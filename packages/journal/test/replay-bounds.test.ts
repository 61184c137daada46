import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { afterEach, describe, expect, test } from "vitest";
import { type JournalOptions, openJournal } from "../src/index.ts";
import { append, collect, engineWith, numbersOf, range } from "./journal-world.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

const layouts: readonly JournalOptions[] = [
  { layout: "packed", replayParallelism: 3 },
  { layout: "bucketed", replayParallelism: 3 },
  { layout: "linear", replayParallelism: 3 },
  { layout: "scattered", replayParallelism: 3, sequenceShards: 5 },
];

/** Whether all events of an id are one query, page by page. */
const isOneQuery = ({ layout }: JournalOptions) => layout === "packed" || layout === "linear";

/** A thousand events of 4 KB: ten spans of a hundred, or five pages of 1 MB. */
const count = 1000;
const event = { payload: "x".repeat(4000) };

async function journalWithMany(options: JournalOptions) {
  const engine = await engineWith({ ...options, table: "events" });
  open.push(engine);
  const requests: string[] = [];
  const port: DynamoPort = wrapPort(engine, (operation, input, call, next) => {
    requests.push(operation);
    return next(operation, input, call);
  });
  const journal = await openJournal(port, { ...options, table: "events" });
  for (let at = 0; at < count; at += 50)
    await append(journal, "a", [Array.from({ length: 50 }, () => event)]);
  await journal.highestSequenceNr("a");
  requests.length = 0;
  await journal.highestSequenceNr("a");
  const toFindTheEnd = requests.length;
  requests.length = 0;
  return { journal, requests, toFindTheEnd };
}

/** Lets everything that is in flight continue as far as it will. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe.each(layouts)("$layout: a replay", (options) => {
  test("fetches at most the given number of pages ahead of a slow reader", async () => {
    const { journal, requests, toFindTheEnd } = await journalWithMany(options);
    const given: number[] = [];
    let all = 0;
    let mostAhead = 0;
    for await (const { sequenceNr } of journal.replay("a")) {
      given.push(sequenceNr);
      if (sequenceNr % 100 !== 50) continue;
      await settled();
      all = requests.length - toFindTheEnd;
      // Pages that this reader has begun with.
      const begun = isOneQuery(options) ? Math.ceil(sequenceNr / 250) : Math.ceil(sequenceNr / 100);
      mostAhead = Math.max(mostAhead, all - begun);
    }
    expect(given).toEqual(range(1, count));
    expect(mostAhead).toBeLessThanOrEqual(3);
    if (!isOneQuery(options)) expect(mostAhead).toBeGreaterThan(0);
  });

  test("that its reader leaves stops fetching", async () => {
    const { journal, requests, toFindTheEnd } = await journalWithMany(options);
    for await (const { sequenceNr } of journal.replay("a")) if (sequenceNr === 120) break;
    const atTheEnd = requests.length;
    await settled();
    expect(requests.length).toBe(atTheEnd);
    // Of ten spans or five pages.
    expect(atTheEnd - toFindTheEnd).toBeLessThanOrEqual(5);
  });

  test("that is aborted stops fetching and says so", async () => {
    const { journal, requests, toFindTheEnd } = await journalWithMany(options);
    const abort = new AbortController();
    const given: number[] = [];
    let atAbort = 0;
    const reading = async () => {
      for await (const { sequenceNr } of journal.replay("a", { signal: abort.signal })) {
        given.push(sequenceNr);
        if (sequenceNr !== 120) continue;
        atAbort = requests.length;
        abort.abort();
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: "CLIENT_ABORTED" });
    await settled();
    expect(requests.length).toBe(atAbort);
    expect(atAbort - toFindTheEnd).toBeLessThanOrEqual(5);
    // The rest of a fetched page may still be returned.
    expect(given.at(-1)).toBeLessThanOrEqual(isOneQuery(options) ? 300 : 200);
  });

  test("with an upper end or a count reads no further than it must", async () => {
    const { journal, requests, toFindTheEnd } = await journalWithMany(options);
    expect(numbersOf(await collect(journal.replay("a", { to: 50 })))).toEqual(range(1, 50));
    // The marks and the page; the end need not be found.
    expect(requests.length).toBe(options.layout === "scattered" ? toFindTheEnd + 1 : 2);
    requests.length = 0;
    expect(numbersOf(await collect(journal.replay("a", { max: 50 })))).toEqual(range(1, 50));
    expect(requests.length - toFindTheEnd).toBeLessThanOrEqual(3);
  });
});

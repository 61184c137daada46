import { type DynamoPort, type QueryOutput, wrapPort } from "@tablekeep/core";
import { afterEach, describe, expect, test } from "vitest";
import { type JournalOptions, openJournal, type ReplayOptions } from "../src/index.ts";
import { append, collect, engineWith, numbersOf, range } from "./journal-world.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

/** A journal with an id of so many events, and what its next requests are. */
async function journalOf(count: number, options: JournalOptions) {
  const engine = await engineWith({ ...options, table: "events" });
  open.push(engine);
  const requests: string[] = [];
  const behavior: { answered?: (operation: string, answer: QueryOutput) => Promise<void> | void } = {};
  const port: DynamoPort = wrapPort(engine, async (operation, input, call, next) => {
    requests.push(operation);
    const answer = await next(operation, input, call);
    await behavior.answered?.(operation, answer as QueryOutput);
    return answer;
  });
  const journal = await openJournal(port, { ...options, table: "events" });
  const direct = await openJournal(engine, { ...options, table: "events" });
  for (let at = 0; at < count; at += 30) {
    const size = Math.min(30, count - at);
    await append(direct, "a", [Array.from({ length: size }, () => ({ payload: "x" }))]);
  }
  const replayed = async (bounds: ReplayOptions = {}) => {
    requests.length = 0;
    return numbersOf(await collect(journal.replay("a", bounds)));
  };
  return { requests, behavior, direct, replayed };
}

describe.each(["bucketed", "linear"] as const)("%s: a replay", (layout) => {
  test("of a few events reads them along with the marks, and nothing else", async () => {
    const { requests, replayed } = await journalOf(50, { layout });
    expect(await replayed()).toEqual(range(1, 50));
    expect(requests).toEqual(["BatchGetItem", "Query"]);
    expect(await replayed({ from: 31 })).toEqual(range(31, 50));
    expect(requests).toEqual(["BatchGetItem", "Query"]);
    expect(await replayed({ from: 51 })).toEqual([]);
    expect(requests).toEqual(["BatchGetItem", "Query"]);
  });

  test("reads what was missing among its first rows again", async () => {
    const { requests, behavior, replayed } = await journalOf(50, { layout });
    let dropped = 0;
    behavior.answered = (operation, answer) => {
      if (operation === "Query" && dropped === 0) dropped = answer.Items?.splice(20, 5).length ?? 0;
    };
    expect(await replayed()).toEqual(range(1, 50));
    expect(dropped).toBe(5);
    expect(requests).toEqual(["BatchGetItem", "Query", "Query"]);
  });

  test("is not disturbed by what is written or deleted while it begins", async () => {
    for (const when of ["BatchGetItem", "Query"]) {
      const { behavior, direct, replayed } = await journalOf(90, { layout });
      let changed = false;
      behavior.answered = async (operation) => {
        if (operation !== when || changed) return;
        changed = true;
        await append(direct, "a", [Array.from({ length: 20 }, () => ({ payload: "later" }))]);
        await direct.deleteTo("a", 10);
      };
      const numbers = await replayed();
      expect(numbers).toEqual(range(numbers[0] ?? 0, numbers.at(-1) ?? 0));
      expect([1, 11]).toContain(numbers[0]);
      expect([90, 110]).toContain(numbers.at(-1));
    }
  });

  test("whose first page cannot be read fails only when that page is due", async () => {
    const { requests, behavior, replayed } = await journalOf(50, { layout });
    let failed = false;
    behavior.answered = (operation) => {
      if (operation !== "Query" || failed) return;
      failed = true;
      throw new TypeError("the answer was lost");
    };
    expect(await replayed()).toEqual(range(1, 50));
    expect(requests).toEqual(["BatchGetItem", "Query", "Query", "Query"]);
  });
});

test("bucketed: a replay of many finds its end in the last bucket, and reads every bucket once", async () => {
  const { requests, replayed } = await journalOf(350, { layout: "bucketed" });
  expect(await replayed()).toEqual(range(1, 350));
  expect(requests).toEqual(["BatchGetItem", "Query", "Query", "Query", "Query"]);
  expect(await replayed({ from: 121, to: 180 })).toEqual(range(121, 180));
  expect(requests).toHaveLength(2);
});

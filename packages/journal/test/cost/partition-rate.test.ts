import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, isDynamoError, sleep, unwrap, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type FakeClock, fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { type Fencing, type JournalWriter, journalTableSpec, openJournal } from "../../src/index.ts";

const page = fileURLToPath(new URL("../../../../docs/explanation/journal-layouts.md", import.meta.url));

/** How events are written: how many to an append, how large, and how many appends at once. */
interface Load {
  readonly name: string;
  readonly events: number;
  readonly bytes: number;
}

const loads: readonly Load[] = [
  { name: "one event of 100 B", events: 1, bytes: 100 },
  { name: "10 × 100 B", events: 10, bytes: 100 },
  { name: "100 × 100 B", events: 100, bytes: 100 },
  { name: "100 × 1 KB", events: 100, bytes: 1000 },
];

test("the page has the events that one id accepts a second", async () => {
  const rows: string[] = [];
  const rates = new Map<string, number>();
  for (const load of loads) {
    const [optimistic, strict] = [await rateOf(load, "optimistic"), await rateOf(load, "strict")];
    rates.set(load.name, optimistic);
    rows.push(`| ${load.name} | ${optimistic.toLocaleString("en-US")} | ${strict.toLocaleString("en-US")} |`);
  }
  expect(rates.get("one event of 100 B")).toBe(1000);
  expect(rates.get("10 × 100 B")).toBeGreaterThanOrEqual(5000);
  const table = ["| an append is | packed | packed, strict |", "|---|---:|---:|", ...rows].join("\n");
  const text = readFileSync(page, "utf8");
  const measured = text.replace(
    /(<!-- rates -->\n\n)[\s\S]*?(\n\n<!-- end -->)/,
    (_all, start: string, end: string) => start + table + end,
  );
  if (process.env["TABLEKEEP_UPDATE_DOCS"] === "1") writeFileSync(page, measured);
  else expect(text).toBe(measured);
});

/** Returns the events that one id accepts in a second of the clock, on average of four after the first, in which it spends its burst. */
async function rateOf({ events, bytes }: Load, fencing: Fencing): Promise<number> {
  const clock = fakeClock();
  const engine = await openEngine({ storage: { kind: "memory" }, clock, behavior: { partitionLimits: {} } });
  const options = { table: "events", layout: "packed", fencing, clock } as const;
  await ensureTable(engine, journalTableSpec(options));
  const write = Array.from({ length: events }, () => ({ payload: "x".repeat(bytes - 2) }));
  const accepted = await clock.autoAdvance(async () => {
    const journal = await openJournal(waitsWhenThrottled(engine, clock), options);
    const writer = await journal.recover("account-1");
    await appendFor(1000, clock, writer, write);
    const before = writer.highestSequenceNr;
    await appendFor(4000, clock, writer, write);
    return writer.highestSequenceNr - before;
  });
  await engine.close();
  return Math.round(accepted / 4);
}

async function appendFor(
  ms: number,
  clock: FakeClock,
  writer: JournalWriter,
  write: readonly { payload: string }[],
) {
  const end = clock.monotonic() + ms;
  while (clock.monotonic() < end) unwrap(await writer.append(write));
}

/** Lets a millisecond go by whenever a request is throttled, and sends it again: the fastest that a client can be. */
function waitsWhenThrottled(port: DynamoPort, clock: FakeClock): DynamoPort {
  return wrapPort(port, async (operation, input, options, next) => {
    for (;;) {
      try {
        return await next(operation, input, options);
      } catch (error) {
        if (!isThrottled(error)) throw error;
        await sleep(clock, 1);
      }
    }
  });
}

function isThrottled(error: unknown): boolean {
  if (isDynamoError(error, "TransactionCanceledException"))
    return error.details.cancellationReasons?.some(({ Code }) => Code === "ThrottlingError") ?? false;
  return isDynamoError(error, "ThrottlingException");
}

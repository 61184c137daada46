import { type MeterCounts, metered } from "@tablekeep/client";
import { fakeClock } from "@tablekeep/testkit";
import { type Mail, type MailOptions, openMail } from "../../src/index.ts";
import { engineWithMail } from "../engine-mail.ts";

/** The cost of one operation. */
export interface MailCost extends Pick<MeterCounts, "requests" | "readUnits" | "writeUnits"> {
  readonly queries: number;
  readonly batchGets: number;
}

export type MailCostTable = ReadonlyMap<string, MailCost>;

/** Hours with messages, and messages in each; the last of them is not over. */
export const measured = { hours: 4, messages: 60, shards: 4 } as const;

/** A message of 10 KB: words that hardly repeat from one to the other. */
function message(n: number): Buffer {
  const words = Array.from({ length: 1300 }, (_, at) => ((n * 7919 + at * 104_729) % 99_991).toString(36));
  const lines = words.join(" ").match(/.{1,70}/g) ?? [];
  return Buffer.from(
    `From: shop@example.org\r\nSubject: order ${n}\r\n\r\nrare${n}word ${lines.join("\r\n")}\r\n`,
  );
}

/** Measures what a store with these options costs on the engine. */
export async function measureMailCost(options: MailOptions): Promise<MailCostTable> {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
  const given = { ...options, clock };
  const engine = await engineWithMail(given);
  const { port, meter } = metered(engine, { capacity: true });
  const mail = await openMail(port, given);
  const costs = new Map<string, MailCost>();
  const measure = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    meter.reset();
    const result = await work();
    const { total, byOperation } = meter.reset();
    const { requests, readUnits, writeUnits } = total;
    costs.set(name, {
      requests,
      readUnits,
      writeUnits,
      queries: byOperation.Query?.requests ?? 0,
      batchGets: byOperation.BatchGetItem?.requests ?? 0,
    });
    return result;
  };
  await fill(mail, () => clock.jump(3_600_000), measure);
  // Hours that have just ended do not count as such: clocks differ.
  clock.jump(600_000);
  await measureReads(mail, await openMail(port, given), measure);
  await engine.close();
  return costs;
}

type Measure = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

async function fill(mail: Mail, nextHour: () => void, measure: Measure): Promise<void> {
  let n = 0;
  const store = () =>
    mail.store({ from: "shop@example.org", to: [`user${n}@example.com`], helo: "h" }, message(n++));
  await measure("store the first 10 KB of an hour", store);
  await measure("store 10 KB", store);
  for (let hour = 0; hour < measured.hours; hour++) {
    if (hour > 0) nextHour();
    for (let at = hour === 0 ? 2 : 0; at < measured.messages; at++) await store();
  }
  await measure("store 1 MB", () =>
    mail
      .store({ from: "a@b.c", to: ["d@e.f"], helo: "h" }, Buffer.alloc(1_000_000, "0123456789\r\n"))
      .catch(() => {}),
  );
}

/** `another` has stored nothing: it has no signatures in memory. */
async function measureReads(mail: Mail, another: Mail, measure: Measure): Promise<void> {
  await mail.deleteMany({ kind: "recipient", query: "d@e.f" });
  const page = await measure("list 50", () => mail.list());
  await measure("load a list of 50", async () => {
    for await (const { raw } of mail.loadEach(page.items)) raw.subarray();
  });
  await measure("list 50 from 150 on", () => mail.list({ start: 150 }));
  await measure("count for the first time", () => mail.count());
  await measure("count", () => mail.count());
  await measure("list 50 from 150 on, hours counted", () => mail.list({ start: 150 }));
  await measure("load one", () => mail.load(page.items[0]?.id ?? ""));
  await measure("search a whole address, 1 match", () =>
    mail.search({ kind: "recipient", query: "user77@example.com" }),
  );
  const rare = { kind: "containing", query: "rare77word" } as const;
  await measure("search a rare word for the first time", () => another.search(rare, { total: true }));
  await measure("search a rare word", () => another.search(rare, { total: true }));
  await measure("search a part of an address, 1 match", () => mail.search({ kind: "to", query: "ser77@" }));
  await measure("delete one", () => mail.deleteOne(page.items[1]?.id ?? ""));
  await measure("delete 40", () => mail.deleteMany(page.items.slice(10).map(({ id }) => id)));
  await measure("delete all", () => mail.deleteAll());
}

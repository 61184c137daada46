import { isTablekeepError, sleep } from "@tablekeep/core";
import {
  exploreInterleavings,
  fakeClock,
  faultyPort,
  printSchedule,
  randomSchedule,
  type World,
} from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { type Mail, type MailOptions, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

const seeds = Number(process.env["MAIL_FAULT_SEEDS"] ?? 12);

type Fate = "stored" | "absent" | "either";

/** The outcome of a call: ok, without effect, or unknown. */
async function outcomeOf<Result>(work: Promise<Result>): Promise<Result | "failed" | "unknown"> {
  try {
    return await work;
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    return error.ambiguous ? "unknown" : "failed";
  }
}

const messages = Array.from({ length: 8 }, (_, n) =>
  letter(`number ${n}.`, n % 3 === 2 ? "0123456789abcdef\r\n".repeat(20_000) : "Hello.\r\n"),
);

/** Stores and deletes with injected faults; returns what must exist, by subject. */
async function runCalls(mail: Mail, other: Mail, passHour: () => Promise<void>): Promise<Map<string, Fate>> {
  const fates = new Map<string, Fate>();
  for (const [n, raw] of messages.entries()) {
    const subject = `number ${n}.`;
    const stored = await outcomeOf(mail.store(envelope, raw));
    if (stored === "failed") fates.set(subject, "absent");
    else if (stored === "unknown") fates.set(subject, "either");
    else {
      fates.set(subject, "stored");
      if (n % 2 === 0) {
        const deleted = await outcomeOf(mail.deleteOne(stored.id));
        if (deleted === true) fates.set(subject, "absent");
        else if (deleted === "unknown") fates.set(subject, "either");
        else expect(deleted).toBe("failed");
      }
    }
    await other.count();
    if (n % 3 === 1) await passHour();
  }
  return fates;
}

async function checkSeed(seed: number, options: MailOptions): Promise<void> {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 20) });
  const engine = await engineWithMail(options);
  const schedule = randomSchedule(seed, { maxRate: 0.2, calmAfter: 120 });
  const port = faultyPort(engine, schedule, { clock });
  const calm = faultyPort(engine, "seed=1 faults=[]", { clock });
  const other = await openMail(calm, { ...options, clock });
  const work = async () => {
    let mail: Mail | undefined;
    for (let tries = 0; mail === undefined && tries < 100; tries++) {
      const opened = await outcomeOf(openMail(port, { ...options, clock }));
      if (typeof opened === "object") mail = opened;
    }
    if (mail === undefined) throw new Error("the store cannot be opened");
    const fates = await runCalls(mail, other, async () => {
      // Requests in flight are applied before the hour settles, or never.
      await sleep(clock, 60_000);
      clock.jump(2 * 3_600_000);
    });
    await mail.close();
    return fates;
  };
  // Without a timer, a chunk is being packed in another thread.
  const busy = () => port.busy() || calm.busy() || clock.pending === 0;
  const fates = await clock.autoAdvance(work, { busy });
  // Requests in flight are applied.
  await clock.advance(600_000);
  const { items } = await other.list();
  const subjects = items.map(({ subject }) => subject);
  expect(new Set(subjects).size).toBe(subjects.length);
  for (const [subject, fate] of fates)
    if (fate !== "either")
      expect([subject, subjects.includes(subject)]).toEqual([subject, fate === "stored"]);
  for await (const { subject, raw } of other.loadEach(items))
    expect(Buffer.compare(raw, messages[Number(subject.replaceAll(/\D/g, ""))] ?? Buffer.of())).toBe(0);
  for (const mail of [other, await openMail(engine, { ...options, clock })])
    expect([await mail.count(), await mail.count()]).toEqual([items.length, items.length]);
  const found = await other.search({ kind: "recipient", query: "bob@example.com" }, { total: true });
  expect(found.total).toBe(items.length);
  await engine.close();
}

describe.each(["sharded", "mhdynamo"] as const)("with random faults, %s", (layout) => {
  test(
    "acknowledged messages exist, failed ones do not, and count equals list",
    async () => {
      for (let seed = 1; seed <= seeds; seed++) {
        await checkSeed(seed, { layout }).catch((cause: unknown) => {
          throw new Error(
            `seed ${seed}: ${printSchedule(randomSchedule(seed, { maxRate: 0.2, calmAfter: 120 }))}`,
            { cause },
          );
        });
      }
    },
    Math.max(600_000, 25_000 * seeds),
  );
});

interface HourWorld extends World {
  readonly options: MailOptions;
  readonly ids: readonly string[];
}

describe("counting an hour that has ended", () => {
  test("never stores a count that a concurrent delete makes wrong, in any order of requests", async () => {
    const report = await exploreInterleavings<HourWorld>(
      {
        async setup() {
          const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
          const options = { clock, shards: 1 };
          const port = await engineWithMail(options);
          const mail = await openMail(port, options);
          const ids: string[] = [];
          for (const subject of ["1", "2", "3"]) ids.push((await mail.store(envelope, letter(subject))).id);
          clock.jump(2 * 3_600_000);
          return { port, options, ids };
        },
        actors: {
          c: async (port, { options }) => (await openMail(port, options)).count(),
          d: async (port, { options, ids }) => (await openMail(port, options)).deleteMany(ids.slice(0, 2)),
        },
        async check({ port, options }, results) {
          expect(results["d"]).toMatchObject({ value: 2 });
          const fresh = await openMail(port, options);
          expect(await fresh.count()).toBe(1);
          expect((await fresh.list()).items).toHaveLength(1);
        },
        teardown: ({ port }) => port.close(),
      },
      { maxPreemptions: 2, exhaustive: 150 },
    );
    expect(report.orders.length).toBeGreaterThan(20);
  });
});

import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, silentLogger } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type Mail, type MailSummary, mailTableSpec, openMail } from "@tablekeep/mail";
import { type FakeClock, fakeClock } from "@tablekeep/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { cursorStore } from "./cursor-store.ts";
import { type ForwardTarget, forwardMessages, PermanentFailure } from "./forward-messages.ts";

interface Store {
  readonly port: DynamoPort;
  readonly mail: Mail;
  store(subject: string): Promise<void>;
}

async function emptyStore(layout: "sharded" | "mhdynamo" = "sharded"): Promise<Store> {
  const port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, mailTableSpec({ layout }));
  const mail = await openMail(port, { layout });
  onTestFinished(async () => {
    await mail.close();
    await port.close();
  });
  const envelope = { from: "a@example.org", to: ["b@example.org"], helo: "h" };
  return {
    port,
    mail,
    async store(subject) {
      await mail.store(envelope, Buffer.from(`Subject: ${subject}\r\n\r\n`));
    },
  };
}

/** Forwards to a list. `answer` may fail. */
function forwardTo(
  { port, mail }: Store,
  answer: (message: MailSummary, attempt: number) => void = () => {},
  {
    clock = fakeClock(),
    layout = "sharded" as const,
  }: { clock?: FakeClock; layout?: "sharded" | "mhdynamo" } = {},
) {
  const got: string[] = [];
  const outcomes: string[] = [];
  let attempt = 0;
  const target: ForwardTarget = {
    name: "test",
    wants: ({ subject }) => subject !== "unwanted",
    async forward(message) {
      answer(message, ++attempt);
      got.push(message.subject);
    },
  };
  const running = forwardMessages(target, {
    mail,
    cursors: cursorStore(port, { layout }),
    clock,
    logger: silentLogger,
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const started = () => expect.poll(() => cursorStore(port, { layout }).load("test")).toBeDefined();
  return { got, outcomes, clock, started, attempts: () => attempt, stop: () => running.stop() };
}

describe("forwarding", () => {
  test("skips imported messages, which are not new mail", async () => {
    const store = await emptyStore();
    const { got, started, stop } = forwardTo(store);
    await started();
    const original = { created: Date.parse("2026-01-02"), key: "archive" };
    const envelope = { from: "a@example.org", to: ["b@example.org"], helo: "h" };
    await store.mail.importMessage(original, envelope, Buffer.from("Subject: archived\r\n\r\n"));
    await store.store("new");
    await expect.poll(() => got).toEqual(["new"]);
    await stop();
  });

  test.each(["sharded", "mhdynamo"] as const)(
    "passes on new messages that are wanted, in order, and continues after a restart: %s",
    async (layout) => {
      const store = await emptyStore(layout);
      await store.store("old");
      const first = forwardTo(store, () => {}, { layout });
      await first.started();
      for (const subject of ["one", "unwanted", "two"]) await store.store(subject);
      await expect.poll(() => first.got).toEqual(["one", "two"]);
      await first.stop();
      await store.store("meanwhile");
      const second = forwardTo(store, () => {}, { layout });
      await store.store("three");
      await expect.poll(() => new Set(second.got)).toEqual(new Set(["meanwhile", "three"]));
      await second.stop();
    },
  );

  test("saves its position within a second after the last message of a burst", async () => {
    const store = await emptyStore();
    const { got, started, clock, stop } = forwardTo(store);
    await started();
    for (const subject of ["one", "two"]) await store.store(subject);
    await expect.poll(() => got).toEqual(["one", "two"]);
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return (await cursorStore(store.port).load("test"))?.forwarded.length;
      })
      .toBe(2);
    await stop();
  });

  test("forwards nothing again after a restart, however recent it is", async () => {
    const store = await emptyStore();
    const first = forwardTo(store);
    await first.started();
    for (const subject of ["one", "two", "three"]) await store.store(subject);
    await expect.poll(() => first.got).toEqual(["one", "two", "three"]);
    await first.stop();
    for (const last of ["four", "five"]) {
      // Another instance does not remember what was announced.
      const mail = await openMail(store.port);
      const again = forwardTo({ ...store, mail });
      await store.store(last);
      await expect.poll(() => again.got).toContain(last);
      await again.stop();
      await mail.close();
      expect(again.got).toEqual([last]);
    }
  });

  test("repeats a failure with growing waits, while later messages wait", async () => {
    const store = await emptyStore();
    const waits: number[] = [];
    const clock = fakeClock();
    let last = 0;
    const { got, started, stop, outcomes, attempts } = forwardTo(
      store,
      (_, attempt) => {
        waits.push(clock.monotonic() - last);
        last = clock.monotonic();
        if (attempt <= 5) throw new Error("down");
      },
      { clock },
    );
    await started();
    await store.store("one");
    await store.store("two");
    for (let attempt = 1; attempt <= 5; attempt++) {
      await expect.poll(attempts).toBe(attempt);
      await expect.poll(() => clock.pending).toBe(1);
      await clock.advanceToNext();
    }
    await expect.poll(() => got).toEqual(["one", "two"]);
    expect(waits.slice(1, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(outcomes).toEqual(["forwarded", "forwarded"]);
    await stop();
  });

  test("gives up after a permanent failure, and after 12 attempts", async () => {
    const store = await emptyStore();
    const clock = fakeClock();
    const { got, started, stop, outcomes, attempts } = forwardTo(
      store,
      ({ subject }) => {
        if (subject === "rejected") throw new PermanentFailure("no");
        if (subject === "poison") throw new Error("500");
      },
      { clock },
    );
    await started();
    for (const subject of ["rejected", "poison", "good"]) await store.store(subject);
    for (let attempt = 1; attempt < 12; attempt++) {
      await expect.poll(attempts).toBe(1 + attempt);
      // The position after the first message is saved when the first wait ends.
      await expect.poll(() => clock.pending).toBe(attempt === 1 ? 2 : 1);
      if (attempt === 1) await clock.advanceToNext();
      await clock.advanceToNext();
    }
    await expect.poll(() => got).toEqual(["good"]);
    expect(outcomes).toEqual(["failed", "failed", "forwarded"]);
    expect(clock.monotonic()).toBeGreaterThan(15 * 60_000);
    await stop();
  });

  test("stops in the middle of a wait, and begins with the same message again", async () => {
    const store = await emptyStore();
    const first = forwardTo(store, () => {
      throw new Error("down");
    });
    await first.started();
    await store.store("one");
    await expect.poll(first.attempts).toBe(1);
    await first.stop();
    const second = forwardTo(store);
    await expect.poll(() => second.got).toEqual(["one"]);
    await second.stop();
  });
});

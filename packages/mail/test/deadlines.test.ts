import { type OperationName, sleep, wrapPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

const longMs = 60_000;

/** A store on a table that takes a minute for one operation, whatever the deadline, once `slow` is set. */
async function slowMail(slowOperation: OperationName) {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9, 30) });
  const engine = await engineWithMail();
  const state = { slow: false };
  const port = wrapPort(engine, async (operation, input, options, next) => {
    if (state.slow && operation === slowOperation) await sleep(clock, longMs);
    return next(operation, input, options);
  });
  const mail = await openMail(port, { clock });
  // Without a timer, a chunk is being packed in another thread.
  const busy = () => clock.pending === 0;
  const close = () => clock.autoAdvance(() => mail.close(), { busy });
  /** The result, and after how many milliseconds. */
  const timed = async (work: () => Promise<unknown>) => {
    state.slow = true;
    const startedAt = clock.monotonic();
    const ended = async () => {
      const result = await work().catch((error: unknown) => ({ error }));
      return { result, ms: clock.monotonic() - startedAt };
    };
    return clock.autoAdvance(ended, { busy });
  };
  const stopAfter = (ms: number): AbortSignal => {
    const stop = new AbortController();
    clock.after(ms, () => stop.abort(new Error("stopped")));
    return stop.signal;
  };
  return { clock, engine, mail, state, timed, close, stopAfter };
}

describe("on a slow table", () => {
  test("a wait ends in time, or when its signal is aborted", async () => {
    const { mail, timed, stopAfter } = await slowMail("Query");
    const search = { kind: "text", query: "never" } as const;
    expect(await timed(() => mail.wait(search, { timeoutMs: 700 }))).toEqual({ result: undefined, ms: 700 });
    const stopped = await timed(() => mail.wait(undefined, { timeoutMs: 700, signal: stopAfter(300) }));
    expect(stopped).toMatchObject({ result: { error: { message: "stopped" } }, ms: 300 });
  });

  test("a wait that must read a message to match it ends in time", async () => {
    const { mail, timed, clock } = await slowMail("BatchGetItem");
    const work = async () => {
      const waiting = mail.wait({ kind: "text", query: "never" }, { timeoutMs: 700 });
      await sleep(clock, 100);
      await mail.store(envelope, letter("other"));
      return waiting;
    };
    expect(await timed(work)).toEqual({ result: undefined, ms: 700 });
  });

  test("a watch that is stopped before it starts ends without an error", async () => {
    const { mail, timed, stopAfter } = await slowMail("Query");
    const watch = async () => {
      for await (const _ of mail.watch({ signal: stopAfter(300), after: "0" })) return "something";
      return "nothing";
    };
    expect(await timed(watch)).toEqual({ result: "nothing", ms: 300 });
  });

  test("the first store of an hour ends at its deadline or by its signal, and stores nothing", async () => {
    const { mail, engine, clock, timed, close, stopAfter } = await slowMail("UpdateItem");
    const late = await timed(() => mail.store(envelope, letter("late"), { deadlineMs: 500 }));
    expect(late).toMatchObject({
      result: { error: { code: "MAIL_STORE_UNAVAILABLE", ambiguous: false } },
      ms: 500,
    });
    const stopped = await timed(async () => {
      const message = mail.receive(envelope);
      await message.write(letter("stopped"));
      return message.finish({ signal: stopAfter(300) });
    });
    expect(stopped).toMatchObject({ result: { error: { kind: "aborted", ambiguous: false } }, ms: 300 });
    await close();
    expect((await (await openMail(engine, { clock })).list()).items).toEqual([]);
  });

  test("a large message ends at its deadline, and its chunks are removed", async () => {
    const { mail, engine, timed, close, state } = await slowMail("PutItem");
    // One chunk is in flight when the message ends.
    const words = Array.from({ length: 100_000 }, (_, n) => ((n * 7919) % 99_991).toString(36));
    const raw = letter("large", words.join(" "));
    const message = mail.receive(envelope);
    state.slow = true;
    await message.write(raw);
    const late = await timed(() => message.finish({ deadlineMs: 500 }));
    expect(late).toMatchObject({ result: { error: { code: "MAIL_STORE_UNAVAILABLE" } }, ms: 500 });
    await close();
    expect((await engine.scan({ TableName: "mail" })).Items).toEqual([]);
  });

  test("a delete ends at its deadline once the message is deleted, and its other items are removed later", async () => {
    const { mail, engine, timed, close } = await slowMail("BatchWriteItem");
    const { id } = await mail.store(envelope, letter("gone"));
    const deleted = await timed(() => mail.deleteOne(id, { deadlineMs: 500 }));
    expect(deleted).toEqual({ result: true, ms: 500 });
    await close();
    const left = (await engine.scan({ TableName: "mail" })).Items ?? [];
    expect(left.map(({ pk }) => pk?.S)).toEqual(["c#2050-01-01T09", "hours"]);
  });
});

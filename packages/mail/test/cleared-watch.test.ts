import { sleep, wrapPort } from "@tablekeep/core";
import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { type MailChange, openMail } from "../src/index.ts";
import { envelope, letter } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";

/** Two instances on one table: of the one that watches, queries of summaries are answered late while `lateMs` is set. */
async function slowWatcher() {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 0, 30) });
  const plain = faultyPort(await engineWithMail({ clock }), "seed=1 faults=[]", { clock });
  const late = { ms: 0 };
  const port = wrapPort(plain, async (operation, input, options, next) => {
    const ms = operation === "Query" && JSON.stringify(input).includes('"m#') ? late.ms : 0;
    const answer = await next(operation, input, options);
    if (ms > 0) await sleep(clock, ms);
    return answer;
  });
  return {
    clock,
    late,
    mail: await openMail(port, { clock, pollMs: 500 }),
    other: await openMail(plain, { clock }),
    run: (work: () => Promise<void>) => clock.autoAdvance(work, { busy: () => plain.busy() }),
  };
}

function shown(change: MailChange): string {
  return change.kind === "stored" ? change.summary.subject : change.kind;
}

test("a message that a poll has read before all were deleted is not reported after that", async () => {
  const { clock, late, mail, other, run } = await slowWatcher();
  const stop = new AbortController();
  const changes: string[] = [];
  const waited: (string | undefined)[] = [];
  await run(async () => {
    const watching = (async () => {
      for await (const change of mail.watchChanges({ signal: stop.signal })) changes.push(shown(change));
    })();
    await sleep(clock, 2_000);
    const waiting = mail.wait(undefined, { timeoutMs: 20_000 }).then((found) => waited.push(found?.subject));
    await sleep(clock, 2_000);
    late.ms = 900;
    await other.store(envelope, letter("old"));
    await sleep(clock, 600);
    await other.deleteAll();
    late.ms = 0;
    // Reads the era.
    await mail.count();
    await sleep(clock, 2_000);
    await other.store(envelope, letter("new"));
    await sleep(clock, 2_000);
    stop.abort();
    await Promise.all([watching, waiting]);
    await mail.close();
    await other.close();
  });
  expect(changes).toEqual(["cleared", "new"]);
  expect(waited).toEqual(["new"]);
});

test.each([100, 500, 1_400])(
  "a watcher that resumes while all messages are deleted does not report them after that: after %i ms",
  async (afterMs) => {
    const { clock, late, mail, other, run } = await slowWatcher();
    const stop = new AbortController();
    const changes: string[] = [];
    await run(async () => {
      await mail.store(envelope, letter("first"));
      const { cursor } = (await mail.wait(undefined)) ?? {};
      late.ms = 900;
      const watching = (async () => {
        for await (const change of mail.watchChanges({ after: cursor, signal: stop.signal }))
          changes.push(shown(change));
      })();
      await sleep(clock, afterMs);
      await mail.store(envelope, letter("old"));
      await other.deleteAll();
      await mail.count();
      late.ms = 0;
      await sleep(clock, 5_000);
      await other.store(envelope, letter("new"));
      await sleep(clock, 2_000);
      stop.abort();
      await watching;
      await mail.close();
      await other.close();
    });
    expect(changes.slice(changes.lastIndexOf("cleared") + 1)).toEqual(["new"]);
  },
);

import { DynamoError, sleep, wrapPort } from "@tablekeep/core";
import { fakeClock, faultyPort } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { mailFeed } from "../src/feed/mail-feed.ts";
import { maxSeen } from "../src/feed/mail-poller.ts";
import { shardedLayout } from "../src/layouts/sharded/sharded-layout.ts";
import { background } from "../src/model/background-work.ts";
import { resolveMailOptions } from "../src/model/mail-options.ts";
import type { MailSummary } from "../src/model/message.ts";
import { storeMemory } from "../src/model/search-memory.ts";
import { engineWithMail } from "./engine-mail.ts";

test("watchers end during an outage only when more ids would have to be remembered than the limit", async () => {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1) });
  const plain = faultyPort(await engineWithMail(), "seed=1 faults=[]", { clock });
  let down = false;
  const port = wrapPort(plain, (operation, input, options, next) => {
    if (down) throw new DynamoError({ exception: "AccessDeniedException", serviceMessage: "down" });
    return next(operation, input, options);
  });
  const ignored = { onCommitted: () => {}, onImported: () => {}, onCleared: () => {} };
  const options = resolveMailOptions({ clock });
  const memory = storeMemory(options.searchMemory);
  const context = { ...options, port, memory, background: background(), ...ignored };
  const feed = mailFeed(context, shardedLayout(context));
  let given = 0;
  let end: unknown;
  const work = async () => {
    const watcher = await feed.subscribe(undefined);
    const watching = (async () => {
      for await (const { kind } of watcher.changes()) given += Number(kind === "stored");
    })().catch((error: unknown) => {
      end = error;
    });
    down = true;
    for (let n = 1; n <= maxSeen; n++) {
      feed.publish({ id: String(n), created: clock.now() } as MailSummary);
      // The consumer keeps up.
      if (n % 5000 === 0) await sleep(clock, 1);
    }
    await sleep(clock, 400_000);
    expect([given, end]).toEqual([maxSeen, undefined]);
    feed.publish({ id: "one more", created: clock.now() } as MailSummary);
    await sleep(clock, 1000);
    await watching;
  };
  await clock.autoAdvance(work, { busy: () => plain.busy() });
  expect(end).toMatchObject({ code: "MAIL_WATCHER_TOO_SLOW", details: { maximum: 200_000 } });
  expect(given).toBe(maxSeen + 1);
  await context.background.settle();
  expect(clock.pending).toBe(0);
});

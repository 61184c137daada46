import { expect, test } from "vitest";
import type { MailSummary } from "../model/message.ts";
import type { QueuedChange } from "./feed-entry.ts";
import { subscription } from "./subscribers.ts";

const stored = (id: string) => ({ kind: "stored", id, era: "", summary: { id } as MailSummary }) as const;

test("a subscription returns queued messages before it ends", async () => {
  const watcher = subscription();
  watcher.deliver(stored("1"));
  watcher.deliver(stored("2"));
  watcher.end();
  watcher.deliver(stored("3"));
  const changes: QueuedChange[] = [];
  for await (const change of watcher.changes()) changes.push(change);
  expect(changes).toEqual([stored("1"), stored("2")]);
});

test("a subscription whose consumer is too slow ends with an error", async () => {
  const watcher = subscription();
  for (let n = 0; n <= 10_000; n++) watcher.deliver(stored(String(n)));
  const consume = async () => {
    for await (const { kind } of watcher.changes()) if (kind === "cleared") return;
  };
  await expect(consume()).rejects.toMatchObject({ code: "MAIL_WATCHER_TOO_SLOW" });
});

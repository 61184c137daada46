/** A promise in place of a port, because of a forgotten `await`, is reported by the call that gets it. */
import { checkTable, ensureTable, logged, metered, sdkClient, sdkStreamsClient } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { openFeed, openStreamSource } from "@tablekeep/feed";
import { openProjections } from "@tablekeep/feed/projections";
import { openJournal, openSnapshots } from "@tablekeep/journal";
import { journalStats } from "@tablekeep/journal/tools";
import { mailTableSpec, openMail } from "@tablekeep/mail";
import { openRollouts, openShadowManager, openShadowSync, openShadows } from "@tablekeep/shadow";
import { exportShadows, verifyShadows } from "@tablekeep/shadow/tools";
import { expect, test } from "vitest";

const table = "things";

/** Reads one element. */
async function first(elements: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of elements) return;
}

const calls: Readonly<Record<string, readonly [string, (port: DynamoPort) => unknown]>> = {
  checkTable: ["CLIENT", (port) => checkTable(port, mailTableSpec())],
  ensureTable: ["CLIENT", (port) => ensureTable(port, mailTableSpec())],
  logged: ["CLIENT", (port) => logged(port, console)],
  metered: ["CLIENT", (port) => metered(port)],
  sdkClient: ["CLIENT", (port) => sdkClient(port)],
  sdkStreamsClient: ["CLIENT", (port) => sdkStreamsClient(port)],
  openJournal: ["JOURNAL", (port) => openJournal(port)],
  openSnapshots: ["JOURNAL", (port) => openSnapshots(port)],
  journalStats: ["JOURNAL", (port) => journalStats(port)],
  openFeed: ["FEED", (port) => openFeed(port)],
  openStreamSource: ["FEED", (port) => openStreamSource(port, { tableName: table })],
  openProjections: ["PROJECTION", (port) => openProjections(port)],
  openMail: ["MAIL", (port) => openMail(port)],
  openShadows: ["SHADOW", (port) => openShadows(port, { table })],
  openShadowManager: ["SHADOW", (port) => openShadowManager(port, { table })],
  openRollouts: ["SHADOW", (port) => openRollouts(port, {} as never, { table })],
  openShadowSync: [
    "SHADOW",
    (port) => openShadowSync(port, { policy: "aws" } as never, {} as never, { table }),
  ],
  exportShadows: ["SHADOW", (port) => first(exportShadows(port, { table }))],
  verifyShadows: ["SHADOW", (port) => verifyShadows(port, { table })],
};

test.each(Object.entries(calls))("%s rejects a promise in place of a port", async (_name, [prefix, call]) => {
  const forgotten = openEngine({ storage: { kind: "memory" } });
  const error = await (async () => call(forgotten as never))().catch((thrown: unknown) => thrown);
  await (await forgotten).close();
  expect(error).toMatchObject({
    code: `${prefix}_OPTION_INVALID`,
    details: { option: "port", reason: expect.stringContaining("Promise") },
  });
});

import { ensureTable } from "@tablekeep/client";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { mailTableSpec, openMail } from "@tablekeep/mail";
import { openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { makeTable } from "../../src/cli/tables/make-table.ts";
import { codeOf, engine, later, onServed, type WaitingCall } from "./program.ts";

export const programCalls: Record<string, WaitingCall> = {
  "inbox.waitFor": {
    waitsIn: ["mail/src/feed/watch-mail.ts"],
    run: async () => {
      const { startTestServer } = await import("../../src/testing/index.ts");
      await using server = await startTestServer();
      const { message: output } = (await server.inbox
        .waitFor("nobody@example.org", { timeoutMs: 200 })
        .catch((error: unknown) => error)) as Error;
      return output.includes("nobody@example.org");
    },
    result: true,
  },
  "events.waitFor and device.report of a test": {
    waitsIn: ["tablekeep/src/testing/wait-until.ts", "tablekeep/src/testing/test-device.ts"],
    run: async () => {
      const { isolate } = await import("../../src/testing/index.ts");
      const t = await isolate();
      const event = codeOf(t.events("a").waitFor({}, { timeoutMs: 200 }));
      const device = await t.device("lamp");
      device.goOffline();
      const codes = [await event, await codeOf(device.report({ on: true }, { timeoutMs: 200 }))];
      await t.close();
      return codes;
    },
    result: ["SERVER_WAIT_TIMED_OUT", "SERVER_WAIT_TIMED_OUT"],
  },
  simulateDevices: {
    waitsIn: ["tablekeep/src/simulator/simulate-devices.ts"],
    run: async () => {
      const { simulateDevices, startTestServer } = await import("../../src/testing/index.ts");
      await using server = await startTestServer();
      const options = { url: server.mqttUrl, devices: 1, seconds: 0.2, intervalMs: 100 };
      return (await simulateDevices(options)).accepted;
    },
    result: 2,
  },
  "tablekeep table create on a table that is being created": {
    waitsIn: ["tablekeep/src/cli/tables/make-table.ts"],
    run: async () => {
      const input = {
        TableName: "things",
        KeySchema: [{ AttributeName: "id", KeyType: "HASH" as const }],
        AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" as const }],
        BillingMode: "PAY_PER_REQUEST" as const,
      };
      const port = await engine({ tableChangeMs: 200 });
      return (await makeTable(port, { input }, new AbortController().signal)).created;
    },
    result: true,
  },
  "tablekeep shadow watch": {
    waitsIn: ["tablekeep/src/cli/commands/shadow.ts"],
    run: () =>
      onServed(async (store, endpoint) => {
        await ensureTable(store, shadowTableSpec("things"));
        await openShadowManager(store, { table: "things" }).desire({ id: "lamp", state: { on: true } });
        await store.close();
        return untilInterrupted(["shadow", "watch", "lamp", "--table", "things", "--endpoint", endpoint]);
      }),
    result: 0,
  },
  "tablekeep shadow wait": {
    waitsIn: ["tablekeep/src/cli/frame/poll-until.ts"],
    run: async () => {
      const { runMain } = await import("../run-main.ts");
      const { startTestServer } = await import("../../src/testing/index.ts");
      await using server = await startTestServer();
      const path = new URL("api/v3/shadows/lamp", server.url);
      await fetch(path, { method: "PATCH", body: '{"desired":{"on":true}}' });
      const place = ["--endpoint", server.dynamodbUrl, "--timeout", "0.3", "--interval", "0.1"];
      return (await runMain(["shadow", "wait", "lamp", ...place])).code;
    },
    result: 3,
  },
  "tablekeep journal watch": {
    waitsIn: ["journal/src/queries/live.ts"],
    run: () =>
      onServed(async (store, endpoint) => {
        await ensureTable(store, journalTableSpec({ table: "events" }));
        await (await (await openJournal(store, { table: "events" })).recover("a")).append({ payload: 1 });
        await store.close();
        return untilInterrupted(["journal", "watch", "a", "--table", "events", "--endpoint", endpoint]);
      }),
    result: 0,
  },
  "tablekeep mail watch": {
    waitsIn: ["mail/src/feed/watch-mail.ts"],
    run: () =>
      onServed(async (store, endpoint) => {
        await ensureTable(store, mailTableSpec({ table: "mail" }));
        const mail = await openMail(store);
        await mail.store({ from: "", to: [], helo: "" }, Buffer.from("Subject: first\r\n\r\n"));
        await mail.close();
        await store.close();
        return untilInterrupted([
          "mail",
          "watch",
          "--from",
          "start",
          "--table",
          "mail",
          "--endpoint",
          endpoint,
        ]);
      }),
    result: 0,
  },
};

/** The exit code of a command that prints existing data, and is interrupted while it waits for more. */
async function untilInterrupted(argv: readonly string[]): Promise<number> {
  const { startMain } = await import("../run-main.ts");
  const run = startMain(argv);
  const poll = () => (run.stdout() === "" ? later(50, poll) : later(500, run.interrupt));
  poll();
  return (await run.result).code;
}

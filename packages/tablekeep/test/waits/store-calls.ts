import { Writable } from "node:stream";
import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { defineEntity, ledgerTableSpec, openEntities } from "@tablekeep/entity";
import {
  type Journal,
  type JournalOptions,
  journalTableSpec,
  openJournal,
  openSnapshots,
  snapshotTableSpec,
} from "@tablekeep/journal";
import { exportEvents } from "@tablekeep/journal/tools";
import { mailTableSpec, openDecoder, openMail } from "@tablekeep/mail";
import { openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { makeTable } from "../../src/cli/tables/make-table.ts";
import { abortedAfter, engine, faulty, first, inFolder, later, type WaitingCall } from "./program.ts";

async function journalOn(port: DynamoPort, options: JournalOptions = {}): Promise<Journal> {
  await ensureTable(port, journalTableSpec({ table: "events", ...options }));
  return openJournal(port, { table: "events", ...options });
}

/** A journal with one event, and a port to the same table that fails. */
async function journalBehind(fault: string, options: JournalOptions = {}): Promise<Journal> {
  const port = await engine();
  await appendTo(await journalOn(port, options));
  return openJournal(faulty(port, fault), { table: "events", ...options });
}

async function appendTo(journal: Journal): Promise<string | undefined> {
  const writer = await journal.recover("a");
  return (await writer.append([{ payload: 1 }]))[0]?.kind;
}

export const journalCalls: Record<string, WaitingCall> = {
  "journal.append that is retried": {
    waitsIn: ["journal/src/protocol/settle.ts"],
    run: async () => appendTo(await journalBehind("kind:throttle,op:PutItem,times:3")),
    result: "ok",
  },
  "journal.recover that is retried": {
    waitsIn: ["journal/src/context/calls.ts"],
    run: async () => {
      const journal = await journalBehind("kind:throttle,op:UpdateItem,times:3", { fencing: "strict" });
      return (await journal.recover("a")).highestSequenceNr;
    },
    result: 1,
  },
  "journal.deleteTo that is retried": {
    waitsIn: ["journal/src/context/calls.ts"],
    run: async () => {
      const journal = await journalBehind("kind:throttle,op:UpdateItem,times:3");
      await journal.deleteTo("a", 1);
      return journal.lowestSequenceNr("a");
    },
    result: 2,
  },
  "journal.eventsById": {
    waitsIn: ["journal/src/queries/live.ts"],
    run: async () => {
      const journal = await journalOn(await engine());
      later(300, () => appendTo(journal));
      return (await first(journal.eventsById("a")))?.sequenceNr;
    },
    result: 1,
  },
  "journal.persistenceIds": {
    waitsIn: ["journal/src/queries/live.ts"],
    run: async () => {
      const journal = await journalOn(await engine());
      later(300, () => appendTo(journal));
      return (await first(journal.persistenceIds()))?.persistenceId;
    },
    result: "a",
  },
  "a journal tool with a bounded rate": {
    waitsIn: ["journal/src/context/rate-bounded.ts"],
    run: async () => {
      const port = await engine();
      await appendTo(await journalOn(port));
      const lines: unknown[] = [];
      const exported = exportEvents(port, { table: "events" }, { maxRequestsPerSecond: 20 });
      for await (const line of exported) lines.push(line);
      return lines.length > 1;
    },
    result: true,
  },
};

const counter = defineEntity({
  type: "counter",
  initial: () => 0,
  decide: ({ by }: { readonly type: "add"; readonly by: number }, total) => ({
    events: { type: "added" as const, by },
    reply: total + by,
  }),
  evolve: (total: number, { by }: { readonly type: "added"; readonly by: number }) => total + by,
});

async function hostOn(port: DynamoPort) {
  await ensureTable(port, snapshotTableSpec("snapshots"));
  await ensureTable(port, ledgerTableSpec("commands"));
  return openEntities({
    journal: await journalOn(port),
    snapshots: await openSnapshots(port, { table: "snapshots" }),
    ledger: { port, table: "commands" },
    entities: [counter],
  });
}

export const storeCalls: Record<string, WaitingCall> = {
  "entities.ask after a conflict": {
    waitsIn: ["entity/src/cell/finish-group.ts", "entity/src/cell/pending-ask.ts"],
    run: async () => {
      const port = await engine();
      const hosts = [await hostOn(port), await hostOn(port)];
      const totals: unknown[] = [];
      for (const at of [0, 1, 0]) totals.push(await hosts[at]?.of(counter).ask("x", { type: "add", by: 1 }));
      return totals;
    },
    result: [1, 2, 3],
  },
  "shadows.desire after a conflict": {
    waitsIn: ["shadow/src/manager/update-shadow.ts"],
    run: async () => {
      const port = await engine();
      await ensureTable(port, shadowTableSpec("shadows"));
      const manager = (on: DynamoPort) => openShadowManager(on, { table: "shadows" });
      const other = manager(port);
      let overtaken = false;
      const slow = wrapPort(port, async (operation, input, options, next) => {
        if (!overtaken && ["PutItem", "UpdateItem", "TransactWriteItems"].includes(operation)) {
          overtaken = true;
          await other.desire({ id: "lamp", state: { colour: "red" } });
        }
        return next(operation, input, options);
      });
      const outcome = await manager(slow).desire({ id: "lamp", state: { on: true } });
      return outcome.kind === "ok" ? outcome.value.current.state.desired : outcome.kind;
    },
    result: { colour: "red", on: true },
  },
  "mail.wait for a message that does not come": {
    waitsIn: ["mail/src/feed/watch-mail.ts"],
    run: async () => (await (await openMailOn(await engine())).wait(undefined, { timeoutMs: 300 })) ?? "none",
    result: "none",
  },
  "mail.wait for a message that another process stores": {
    waitsIn: ["mail/src/feed/mail-poller.ts"],
    run: async () => {
      const port = await engine();
      const [mail, other] = [await openMailOn(port), await openMailOn(port)];
      later(300, () => storeMail(other));
      return (await mail.wait(undefined))?.subject;
    },
    result: "hello",
  },
  "mail.watch": {
    waitsIn: ["mail/src/feed/mail-poller.ts"],
    run: async () => {
      const port = await engine();
      const [mail, other] = [await openMailOn(port), await openMailOn(port)];
      later(300, () => storeMail(other));
      return (await first(mail.watch()))?.subject;
    },
    result: "hello",
  },
  "decoder.decode": {
    waitsIn: ["mail/src/decode/open-decoder.ts"],
    run: async () => (await openDecoder({ timeoutMs: 120_000 }).decode(message)).subject,
    result: "hello",
  },
};

const message = Buffer.from("Subject: hello\r\n\r\ntext\r\n");

async function openMailOn(port: DynamoPort) {
  await ensureTable(port, mailTableSpec({ table: "mail" }));
  return openMail(port, { table: "mail" });
}

async function storeMail(mail: Awaited<ReturnType<typeof openMailOn>>): Promise<void> {
  await mail.store({ from: "a@example.org", to: ["b@example.org"], helo: "here" }, message);
}

export const programCalls: Record<string, WaitingCall> = {
  "inbox.waitFor": {
    waitsIn: ["mail/src/feed/watch-mail.ts"],
    run: async () => {
      const { startTestServer } = await import("../../src/testing/index.ts");
      await using server = await startTestServer();
      const { message: said } = (await server.inbox
        .waitFor("nobody@example.org", { timeoutMs: 200 })
        .catch((error: unknown) => error)) as Error;
      return said.includes("nobody@example.org");
    },
    result: true,
  },
  "tablekeep tables create on a table that is being created": {
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
      inFolder(async (data) => {
        const { main } = await import("../../src/cli/main.ts");
        const store = await openEngine({ storage: { kind: "folder", path: data } });
        await ensureTable(store, shadowTableSpec("things"));
        await store.close();
        const drop = () => new Writable({ write: (_chunk, _encoding, done) => done() });
        const [stdout, stderr, signal] = [drop(), drop(), abortedAfter(1_500)];
        const io = { stdin: process.stdin, stdout, stderr, env: {}, signal };
        return main(["shadow", "watch", "lamp", "--table", "things", "--data", data], io as never);
      }),
    result: 0,
  },
};

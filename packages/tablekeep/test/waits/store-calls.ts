import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { defineEntity, ledgerTableSpec, openEntities } from "@tablekeep/entity";
import { openSnapshots, snapshotTableSpec } from "@tablekeep/journal";
import { mailTableSpec, openDecoder, openMail } from "@tablekeep/mail";
import { openLinter } from "@tablekeep/mail/lint";
import { openShadowManager, type ShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { journalOn } from "./journal-calls.ts";
import { engine, faulty, first, later, type WaitingCall } from "./program.ts";

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

/** A manager whose first write conflicts with another one. */
async function overtakenManager(): Promise<ShadowManager> {
  const port = await engine();
  await ensureTable(port, shadowTableSpec("shadows"));
  const manager = (on: DynamoPort) => openShadowManager(on, { table: "shadows" });
  const other = manager(port);
  let overtaken = false;
  const slow = wrapPort(port, async (operation, input, options, next) => {
    if (!overtaken && ["PutItem", "UpdateItem", "TransactWriteItems"].includes(operation)) {
      overtaken = true;
      await other.desire({ id: "lamp", state: { color: "red" } });
    }
    return next(operation, input, options);
  });
  return manager(slow);
}

function stateAfter(outcome: Awaited<ReturnType<ShadowManager["update"]>>): unknown {
  return outcome.kind === "ok" ? outcome.value.current.state : outcome.kind;
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
  "entities.forget that is retried": {
    waitsIn: ["journal/src/context/calls.ts"],
    run: async () => {
      const port = await engine();
      const ask = async () => (await hostOn(port)).of(counter).ask("x", { type: "add", by: 1 });
      const before = await ask();
      await (await hostOn(faulty(port, "kind:throttle,op:UpdateItem,times:3"))).of(counter).forget("x");
      return [before, await ask()];
    },
    result: [1, 1],
  },
  "shadows.desire after a conflict": {
    waitsIn: ["shadow/src/manager/update-shadow.ts"],
    run: async () => stateAfter(await (await overtakenManager()).desire({ id: "lamp", state: { on: true } })),
    result: { desired: { color: "red", on: true } },
  },
  "shadows.report after a conflict": {
    waitsIn: ["shadow/src/manager/update-shadow.ts"],
    run: async () => stateAfter(await (await overtakenManager()).report({ id: "lamp", state: { on: true } })),
    result: { desired: { color: "red" }, reported: { on: true } },
  },
  "shadows.delete that is retried": {
    waitsIn: ["client/src/retry/operation.ts"],
    run: async () => {
      const port = await engine();
      await ensureTable(port, shadowTableSpec("shadows"));
      await openShadowManager(port, { table: "shadows" }).report({ id: "lamp", state: { on: true } });
      const failing = faulty(port, "kind:transaction-conflict,op:TransactWriteItems,times:2");
      return (await openShadowManager(failing, { table: "shadows" }).delete({ id: "lamp" })).kind;
    },
    result: "ok",
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
  "mail.watchChanges": {
    waitsIn: ["mail/src/feed/mail-poller.ts"],
    run: async () => {
      const port = await engine();
      const [mail, other] = [await openMailOn(port), await openMailOn(port)];
      later(300, () => storeMail(other));
      return (await first(mail.watchChanges()))?.kind;
    },
    result: "stored",
  },
  "decoder.decode": {
    waitsIn: ["mail/src/thread/message-thread.ts"],
    run: async () => (await openDecoder({ timeoutMs: 120_000 }).decode(message)).subject,
    result: "hello",
  },
  "linter.lint": {
    waitsIn: ["mail/src/thread/message-thread.ts"],
    run: async () => (await openLinter({ timeoutMs: 120_000 }).lint(message)).at(0)?.rule,
    result: "header-date",
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

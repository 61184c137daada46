import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { batchWriteStream, ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal } from "@tablekeep/journal";
import { mailTableSpec, openMail } from "@tablekeep/mail";

/** Fills a folder with messages, items and ids, unless that was done before. */
export async function fill(folder, { mails, items, ids }) {
  if (existsSync(folder)) return;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  const engine = await openEngine({ storage: { kind: "folder", path: part } });
  try {
    await fillItems(engine, items);
    await fillJournal(engine, ids);
    await fillMail(engine, mails);
  } finally {
    await engine.close();
  }
  renameSync(part, folder);
}

async function fillItems(engine, count) {
  await ensureTable(engine, { name: "things", partitionKey: { name: "id", type: "S" } });
  const puts = (function* () {
    for (let at = 0; at < count; at++)
      yield {
        table: "things",
        put: {
          id: { S: `thing-${at}` },
          total: { N: String(at % 997) },
          status: { S: at % 5 ? "open" : "paid" },
        },
      };
  })();
  for await (const _ of batchWriteStream(engine, puts, { parallel: 8 }));
}

async function fillJournal(engine, count) {
  await ensureTable(engine, journalTableSpec());
  const journal = await openJournal(engine);
  await inLanes(count, async (at) => {
    const writer = await journal.recover(`cart-${at}`);
    await writer.append({ payload: { type: "Created", at } });
  });
  await journal.close();
}

async function fillMail(engine, count) {
  await ensureTable(engine, mailTableSpec());
  const mail = await openMail(engine);
  const envelope = { from: "shop@example.com", to: ["ann@example.com"], helo: "bench" };
  await inLanes(count, async (at) => {
    const head = `From: shop@example.com\r\nTo: ann@example.com\r\nSubject: Order ${at}\r\n`;
    await mail.store(envelope, Buffer.from(`${head}\r\nYour order ${at} is on its way.\r\n`));
  });
  await mail.close();
}

/** Runs a number of tasks, some at a time. */
async function inLanes(count, task) {
  let next = 0;
  const lane = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: 64 }, lane));
}

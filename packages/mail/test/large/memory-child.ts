import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { mailhogPart, mailTableSpec, openMail } from "../../src/index.ts";
import { largeMessages } from "./large-messages.ts";

/** Stores, reads, searches and shows one large message within the heap of this process. Prints the results. */
const [folder = "", name = ""] = process.argv.slice(2);
const engine = await openEngine({ storage: { kind: "folder", path: folder } });
await ensureTable(engine, mailTableSpec());
const mail = await openMail(engine, { deadlineMs: 120_000 });
const { id } = await mail.store(
  { from: "a@example.org", to: ["b@example.com"], helo: "me" },
  largeMessages[name]?.() as Buffer,
);
const { items } = await mail.search({ kind: "containing", query: "needle" });
const message = await mail.load(id);
let characters = 0;
for (const chunk of message?.mailhogJson() ?? []) characters += chunk.length;
await mailhogPart(message?.raw as Uint8Array, 0);
process.stdout.write(JSON.stringify({ found: items.length, size: message?.size, characters }));
await mail.close();
await engine.close();

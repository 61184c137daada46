import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { type EngineOptions, openEngine } from "@tablekeep/engine";
import { type Mail, type MailOptions, mailTableSpec, openMail } from "../src/index.ts";

/** An engine in memory with an empty mail table. */
export async function engineWithMail(
  options: MailOptions = {},
  behavior?: EngineOptions["behavior"],
): Promise<DynamoPort> {
  const port = await openEngine({ storage: { kind: "memory" }, clock: options.clock, behavior });
  await ensureTable(port, mailTableSpec(options));
  return port;
}

/** A store on a new engine. */
export async function mailOnEngine(options: MailOptions = {}): Promise<{ mail: Mail; port: DynamoPort }> {
  const port = await engineWithMail(options);
  return { port, mail: await openMail(port, options) };
}

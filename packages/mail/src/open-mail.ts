import { requireTable } from "@tablekeep/client";
import type { CallOptions, DynamoPort } from "@tablekeep/core";
import { background } from "./background.ts";
import { buildMail } from "./build-mail.ts";
import type { Mail } from "./mail.ts";
import { type MailContext, mailCall } from "./mail-context.ts";
import { type MailOptions, resolveMailOptions } from "./mail-options.ts";
import { mailTableSpec } from "./mail-table-spec.ts";

/**
 * Opens a mail store in a table that exists. Checks that the table has the keys of the layout, and that it is the right
 * attribute by which its items expire.
 *
 * @example
 * const mail = await openMail(port, { table: "mail" });
 * await mail.store({ from: "a@example.org", to: ["b@example.com"], helo: "client" }, bytes);
 * for (const { subject } of (await mail.list()).items) console.log(subject);
 */
export async function openMail(
  port: DynamoPort,
  options: MailOptions = {},
  call: CallOptions = {},
): Promise<Mail> {
  const context: MailContext = { ...resolveMailOptions(options), port, background: background() };
  const { signal, deadlineMs, clock } = mailCall(context, call);
  await requireTable(port, mailTableSpec(options), { signal, deadlineMs, clock });
  return buildMail(context);
}

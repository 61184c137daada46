import type { MailSummary } from "@tablekeep/mail";
import { summaryJson } from "../../server/mail/api/message-json.ts";
import type { CommandContext } from "../command-context.ts";
import { printable } from "../printable.ts";

/** Prints one message as a line. */
export function printSummary(summary: MailSummary, { printNext }: CommandContext): Promise<void> {
  return printNext(
    () => summaryText(summary),
    () => summaryJson(summary),
  );
}

function summaryText({ id, created, envelope, headerFrom, subject }: MailSummary): string {
  const from = headerFrom || envelope.from || "<>";
  const line = [id, new Date(created).toISOString(), `${from} -> ${envelope.to.join(", ")}`, subject];
  return printable(line.join("  "));
}

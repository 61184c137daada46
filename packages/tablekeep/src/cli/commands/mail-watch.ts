import type { MailChange, MarkedMessage } from "@tablekeep/mail";
import type { Command } from "commander";
import { arrivedJson } from "../../server/mail/api/message-json.ts";
import { addCommand } from "../frame/add-command.ts";
import { type CommandContext, printable, runUntilStopped } from "../frame/command-context.ts";
import { requireServed } from "../frame/poll-until.ts";
import {
  addMailStoreOptions,
  addQueryOptions,
  findMail,
  type MailStoreFlags,
  type QueryFlags,
  searchOf,
} from "../mail/mail-flags.ts";
import { summaryText } from "./mail-read.ts";

interface WatchFlags extends MailStoreFlags, QueryFlags {
  readonly from?: string;
}

/** `tablekeep mail watch` */
export function addMailWatchCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "watch", {
    summary: "print new messages as they arrive",
    description:
      "Prints new messages, deletes, and changes to read state and tags, one per line, until Ctrl+C. Imported messages also count as new. With --query, it prints only messages that match, and later changes to these.",
    examples: [
      "npx tablekeep mail watch",
      "npx tablekeep mail watch --query to:ben@example.com --json",
      "npx tablekeep mail watch --from start",
    ],
  });
  addQueryOptions(command, "only messages that match").option(
    "--from <cursor>",
    "start after this cursor or message id; start: with the oldest message (default: new messages)",
  );
  addMailStoreOptions(command).action((flags: WatchFlags) => watch(flags, context));
}

async function watch(flags: WatchFlags, context: CommandContext): Promise<void> {
  const { signal } = context.io;
  await runUntilStopped(signal, async () => {
    const search = searchOf(flags);
    await using found = await findMail(flags, context.io);
    requireServed(found.isExclusive, "mail list");
    const after = flags.from === "start" ? "" : flags.from;
    const concerns = search === undefined ? () => true : printedMessages();
    for await (const change of found.mail.watchChanges({ after, search, signal })) {
      const shown = ofMessages(change, concerns);
      if (shown !== undefined) await printChange(shown, context);
    }
  });
}

/** The number of printed messages that are remembered. */
const maxPrinted = 100_000;

/** Whether a message is new, or has been printed. */
type Concerns = (id: string, isNew: boolean) => boolean;

function printedMessages(): Concerns {
  const printed = new Set<string>();
  return (id, isNew) => {
    if (!isNew) return printed.has(id);
    printed.add(id);
    const [oldest] = printed;
    if (printed.size > maxPrinted && oldest !== undefined) printed.delete(oldest);
    return true;
  };
}

/** The part of a change that concerns these messages; undefined if there is none. */
function ofMessages(change: MailChange, concerns: Concerns): MailChange | undefined {
  switch (change.kind) {
    case "stored":
      return concerns(change.summary.id, true) ? change : undefined;
    case "deleted": {
      const ids = change.ids.filter((id) => concerns(id, false));
      return ids.length === 0 ? undefined : { ...change, ids };
    }
    case "marked": {
      const messages = change.messages.filter(({ id }) => concerns(id, false));
      return messages.length === 0 ? undefined : { ...change, messages };
    }
    default:
      return change;
  }
}

function printChange(change: MailChange, { printNext, printRow }: CommandContext): Promise<void> {
  // A row is cut to the width of a terminal; lines about several messages are not.
  const json = () => changeJson(change);
  return change.kind === "stored"
    ? printRow((columns) => summaryText(change.summary, columns), json)
    : printNext(() => changeText(change), json);
}

function changeText(change: Exclude<MailChange, { readonly kind: "stored" }>): string {
  switch (change.kind) {
    case "deleted":
      return change.ids.map((id) => printable(`${id}  deleted`)).join("\n");
    case "marked":
      return change.messages.map(marksText).join("\n");
    case "cleared":
      return "all messages deleted";
    case "reset":
      return "deletes and marks are missing here: they are stored for a day";
  }
}

function marksText({ id, read, tags }: MarkedMessage): string {
  const tagged = tags.length === 0 ? "" : `  #${tags.join(" #")}`;
  return printable(`${id}  ${read ? "read" : "unread"}${tagged}`);
}

/** The same fields as the change has in code. */
function changeJson(change: MailChange): object {
  return change.kind === "stored" ? { kind: "stored", message: arrivedJson(change.summary) } : change;
}

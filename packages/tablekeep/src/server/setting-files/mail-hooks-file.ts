import { defaultInbox, isInboxName } from "@tablekeep/mail";
import { ServerError } from "../server-error.ts";
import { type HookEntry, type HookTarget, readHookEntries } from "./hook-entries.ts";

/** A web hook: a URL that every new message is reported to. */
export interface MailHook extends HookTarget {
  /** The named inbox whose messages are reported. @default the default inbox */
  readonly inbox?: string;
  /** Only messages to a recipient that matches: patterns with `*`, separated by commas. @default all */
  readonly to?: string;
  /** Only messages from a sender that matches. @default all */
  readonly from?: string;
  /** Only messages whose subject contains this, ignoring case. @default all */
  readonly subject?: string;
}

/** Reads web hooks from a file: an array of {@link MailHook}. Errors never contain secrets. */
export function readHooksFile(path: string): readonly MailHook[] {
  const fields = ["inbox", "to", "from", "subject"];
  const invalid = (reason: string, pointer?: string, cause?: unknown) => {
    const message = `cannot read web hooks from ${path}: ${reason}`;
    return new ServerError("SERVER_HOOKS_FILE_INVALID", message, { path, reason, pointer }, cause);
  };
  return readHookEntries(path, { noun: "hook", fields, invalid }).map(({ target, text, wrong }) => ({
    ...target,
    inbox: inboxOf(text("inbox"), wrong),
    to: text("to"),
    from: text("from"),
    subject: text("subject"),
  }));
}

function inboxOf(name: string | undefined, wrong: HookEntry["wrong"]): string | undefined {
  if (name === undefined || name === defaultInbox) return undefined;
  if (!isInboxName(name)) throw wrong("must have an inbox of lower-case letters, digits or . _ -", "inbox");
  return name;
}

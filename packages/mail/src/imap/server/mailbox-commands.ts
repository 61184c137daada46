import { pacer } from "../../model/background-work.ts";
import { mailboxFlagList } from "../message/flags.ts";
import { ImapSyntaxError, type ImapValue, textOfValue } from "../protocol/imap-values.ts";
import { mailboxName, mailboxPattern, parseMailboxName } from "./mailbox-names.ts";
import { SelectedView } from "./selected-view.ts";
import { ImapRefusal, type ImapSessionState } from "./session-state.ts";

/** LIST and LSUB: all mailboxes are subscribed. */
export async function list(
  session: ImapSessionState,
  command: "LIST" | "LSUB",
  values: readonly ImapValue[],
): Promise<string> {
  const [reference, pattern] = [textOfValue(values[0]), textOfValue(values[1])];
  if (pattern === "") await session.write([`* ${command} (\\Noselect) "/" ""\r\n`]);
  else {
    const inboxes = await inboxesOf(session);
    const wanted = reference + pattern;
    const matches = mailboxPattern(wanted);
    const pace = pacer();
    const answers: string[] = [];
    for (const inbox of [undefined, ...inboxes]) {
      const name = mailboxName(inbox);
      const children = inbox === undefined && inboxes.length > 0 ? "\\HasChildren" : "\\HasNoChildren";
      if (matches(name)) answers.push(`* ${command} (${children}) "/" ${name}\r\n`);
      await pace(wanted.length * name.length);
    }
    await session.write(answers);
  }
  return `${command} completed`;
}

/** STATUS mailbox (items) */
export async function status(
  session: ImapSessionState,
  [given, items]: readonly ImapValue[],
): Promise<string> {
  const { name, inbox } = await named(session, given);
  if (items?.kind !== "list") throw new ImapSyntaxError("expected status items");
  const { mailbox, release } = await session.context.mailboxes.use(inbox);
  try {
    await mailbox.refresh();
    const known: Readonly<Record<string, number>> = {
      MESSAGES: mailbox.entries.length,
      RECENT: 0,
      UIDNEXT: mailbox.nextUid,
      UIDVALIDITY: mailbox.validity,
      UNSEEN: mailbox.entries.filter(({ read }) => !read).length,
    };
    const answers = items.items.map((item) => {
      const wanted = textOfValue(item).toUpperCase();
      if (!Object.hasOwn(known, wanted)) throw new ImapSyntaxError("unknown status item");
      return `${wanted} ${known[wanted]}`;
    });
    await session.write([`* STATUS ${name} (${answers.join(" ")})\r\n`]);
  } finally {
    release();
  }
  return "STATUS completed";
}

/** SELECT and EXAMINE: the previously selected mailbox is always closed. */
export async function select(session: ImapSessionState, [given]: readonly ImapValue[]): Promise<string> {
  session.select(undefined);
  const { name, inbox } = await named(session, given);
  const used = await session.context.mailboxes.use(inbox);
  const { mailbox, release } = used;
  try {
    await mailbox.refresh();
  } catch (error) {
    release();
    throw error;
  }
  const view = new SelectedView(used);
  session.select(view);
  const unseen = view.firstUnseen();
  await session.write([
    `* FLAGS ${mailboxFlagList(mailbox.entries)}\r\n`,
    `* ${view.size} EXISTS\r\n`,
    "* 0 RECENT\r\n",
    ...(unseen === undefined ? [] : [`* OK [UNSEEN ${unseen}] the first unread message\r\n`]),
    "* OK [PERMANENTFLAGS ()] read-only\r\n",
    `* OK [UIDVALIDITY ${mailbox.validity}] UIDs are valid\r\n`,
    `* OK [UIDNEXT ${mailbox.nextUid}] the next message\r\n`,
  ]);
  return `[READ-ONLY] ${name} selected`;
}

/** CLOSE and UNSELECT */
export async function unselect(session: ImapSessionState): Promise<string> {
  session.select(undefined);
  return "mailbox closed";
}

/** The inboxes below INBOX that a session may read: none if its user has chosen one. */
async function inboxesOf({ context, inbox, signal }: ImapSessionState): Promise<readonly string[]> {
  return inbox === undefined ? context.mailboxes.names({ signal }) : [];
}

/** The inbox of a mailbox that exists, and that the session may read. */
async function named(
  session: ImapSessionState,
  value: ImapValue | undefined,
): Promise<{ readonly name: string; readonly inbox: string | undefined }> {
  const parsed = parseMailboxName(textOfValue(value));
  if (parsed !== undefined && parsed.inbox === undefined)
    return { name: mailboxName(), inbox: session.inbox };
  const inbox = (await inboxesOf(session)).find((each) => each === parsed?.inbox);
  if (inbox === undefined) throw new ImapRefusal("[NONEXISTENT] no such mailbox");
  return { name: mailboxName(inbox), inbox };
}

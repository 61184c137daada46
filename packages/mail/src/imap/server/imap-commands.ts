import { type FetchItem, fetchAnswer, needsBytes, parseFetchItems } from "../message/fetch-items.ts";
import { parseSearchKeys } from "../message/search-keys.ts";
import { ImapSyntaxError, type ImapValue, textOfValue } from "../protocol/imap-values.ts";
import { parseSequenceSet } from "../protocol/sequence-set.ts";
import { idle } from "./idle.ts";
import { list, select, status, unselect } from "./mailbox-commands.ts";
import { searchMailbox } from "./search-mailbox.ts";
import type { SelectedView } from "./selected-view.ts";
import { ImapRefusal, type ImapSessionState } from "./session-state.ts";
import { authenticate, login } from "./sign-in.ts";

/** Performs a command. Returns the text of its OK. */
export type ImapCommand = (session: ImapSessionState, values: readonly ImapValue[]) => Promise<string>;

function authenticated(perform: ImapCommand): ImapCommand {
  return async (session, values) => {
    if (session.user === undefined) throw new ImapSyntaxError("sign in first");
    return perform(session, values);
  };
}

function selected(
  perform: (session: ImapSessionState, values: readonly ImapValue[], view: SelectedView) => Promise<string>,
): ImapCommand {
  return authenticated(async (session, values) => {
    if (session.view === undefined) throw new ImapSyntaxError("select a mailbox first");
    return perform(session, values, session.view);
  });
}

const readOnly = authenticated(async () => {
  throw new ImapRefusal("[NOPERM] mailboxes are read-only");
});

/** Commands by name. */
export const commands: Readonly<Record<string, ImapCommand>> = {
  async CAPABILITY(session) {
    await session.write([`* CAPABILITY ${session.capabilities()}\r\n`]);
    return "CAPABILITY completed";
  },
  async NOOP(session) {
    await report(session, true);
    return "NOOP completed";
  },
  async LOGOUT(session) {
    await session.write(["* BYE logging out\r\n"]);
    session.closing = true;
    return "LOGOUT completed";
  },
  async ID(session) {
    await session.write(['* ID ("name" "tablekeep")\r\n']);
    return "ID completed";
  },
  async STARTTLS(session) {
    if (session.context.secureContext === undefined || session.secure || session.user !== undefined)
      throw new ImapSyntaxError("STARTTLS is not available");
    return "begin TLS";
  },
  LOGIN: login,
  AUTHENTICATE: authenticate,
  NAMESPACE: authenticated(async (session) => {
    await session.write(['* NAMESPACE (("" "/")) NIL NIL\r\n']);
    return "NAMESPACE completed";
  }),
  LIST: authenticated((session, values) => list(session, "LIST", values)),
  LSUB: authenticated((session, values) => list(session, "LSUB", values)),
  STATUS: authenticated(status),
  SELECT: authenticated(select),
  EXAMINE: authenticated(select),
  CHECK: selected(async (session) => {
    await report(session, true);
    return "CHECK completed";
  }),
  CLOSE: selected(unselect),
  UNSELECT: selected(unselect),
  IDLE: selected((session, _values, view) => idle(session, view)),
  FETCH: selected((session, values, view) => fetch(session, values, view, "number")),
  SEARCH: selected((session, values, view) => search(session, values, view, "number")),
  UID: selected(async (session, [name, ...values], view) => {
    const by = textOfValue(name).toUpperCase();
    if (by === "FETCH") return fetch(session, values, view, "uid");
    if (by === "SEARCH") return search(session, values, view, "uid");
    if (["STORE", "COPY", "MOVE", "EXPUNGE"].includes(by)) return readOnly(session, values);
    throw new ImapSyntaxError("unknown command");
  }),
  ...Object.fromEntries(
    [
      "APPEND",
      "COPY",
      "CREATE",
      "DELETE",
      "EXPUNGE",
      "MOVE",
      "RENAME",
      "STORE",
      "SUBSCRIBE",
      "UNSUBSCRIBE",
    ].map((name) => [name, readOnly]),
  ),
};

async function report(session: ImapSessionState, removals: boolean): Promise<void> {
  if (session.view !== undefined) await session.write(session.view.sync({ removals }));
}

type By = "number" | "uid";

async function fetch(
  session: ImapSessionState,
  values: readonly ImapValue[],
  view: SelectedView,
  by: By,
): Promise<string> {
  if (values.length !== 2) throw new ImapSyntaxError("expected messages and items");
  const ranges = parseSequenceSet(textOfValue(values[0]), by === "uid" ? view.lastUid : view.size);
  if (by === "number" && ranges.some(({ to }) => to > view.size))
    throw new ImapSyntaxError("no such message number");
  const given = parseFetchItems(values[1]);
  const hasUid = given.some(({ kind }) => kind === "UID");
  const items: readonly FetchItem[] = by === "uid" && !hasUid ? [{ kind: "UID" }, ...given] : given;
  const reads = items.some(needsBytes);
  const { mailbox } = view;
  for (const { number, entry } of [...view.chosen(ranges, by)]) {
    const message = reads ? await mailbox.mail.load(entry.id, { signal: session.signal }) : undefined;
    if (reads && message === undefined) {
      mailbox.forget(entry);
      continue;
    }
    const answer = await fetchAnswer(items, entry, message);
    await session.write([`* ${number} FETCH (`, ...answer, ")\r\n"]);
    session.signal.throwIfAborted();
  }
  await report(session, by === "uid");
  return "FETCH completed";
}

async function search(
  session: ImapSessionState,
  values: readonly ImapValue[],
  view: SelectedView,
  by: By,
): Promise<string> {
  const [first, charset, ...rest] = values;
  const hasCharset = first?.kind === "atom" && first.text.toUpperCase() === "CHARSET";
  if (hasCharset && !/^(?:utf-8|us-ascii)$/i.test(textOfValue(charset)))
    throw new ImapRefusal("[BADCHARSET (UTF-8 US-ASCII)] unsupported charset");
  const keys = parseSearchKeys(hasCharset ? rest : values, { lastNumber: view.size, lastUid: view.lastUid });
  const found: number[] = [];
  for await (const { number, entry } of searchMailbox(keys, view, session.signal))
    found.push(by === "uid" ? entry.uid : number);
  await session.write([`* SEARCH${found.map((each) => ` ${each}`).join("")}\r\n`]);
  await report(session, by === "uid");
  return "SEARCH completed";
}

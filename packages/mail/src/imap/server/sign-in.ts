import { ImapSyntaxError, type ImapValue, textOfValue } from "../protocol/imap-values.ts";
import { ImapRefusal, type ImapSessionState } from "./session-state.ts";

/** LOGIN user password */
export async function login(session: ImapSessionState, values: readonly ImapValue[]): Promise<string> {
  if (values.length !== 2) throw new ImapSyntaxError("expected a user name and a password");
  requireNoUser(session);
  return signIn(session, textOfValue(values[0]), textOfValue(values[1]));
}

/** AUTHENTICATE PLAIN, with the credentials in the command or in the next line. */
export async function authenticate(session: ImapSessionState, values: readonly ImapValue[]): Promise<string> {
  requireNoUser(session);
  if (textOfValue(values[0]).toUpperCase() !== "PLAIN" || values.length > 2)
    throw new ImapRefusal("[CANNOT] only PLAIN is supported");
  let encoded = values[1] === undefined ? undefined : textOfValue(values[1]);
  if (encoded === undefined) {
    await session.write(["+ \r\n"]);
    encoded = await session.input.line();
  }
  if (encoded === undefined || encoded === "*") throw new ImapSyntaxError("authentication cancelled");
  const [, user, password] = Buffer.from(encoded === "=" ? "" : encoded, "base64")
    .toString("utf8")
    .split("\0");
  if (user === undefined || password === undefined) throw new ImapSyntaxError("malformed credentials");
  return signIn(session, user, password);
}

function requireNoUser(session: ImapSessionState): void {
  if (session.user !== undefined) throw new ImapSyntaxError("already authenticated");
  if (!session.mayUsePasswords()) throw new ImapRefusal("[PRIVACYREQUIRED] start TLS first");
}

async function signIn(session: ImapSessionState, user: string, password: string): Promise<string> {
  const inbox = session.context.inboxes?.ofUser(user);
  if (!(await mayRead(session, { user, password, inbox }))) {
    if (++session.failedSignIns >= session.context.limits.failedSignIns) {
      await session.write(["* BYE too many failed sign-ins\r\n"]);
      session.closing = true;
    }
    throw new ImapRefusal("[AUTHENTICATIONFAILED] authentication failed");
  }
  session.user = user;
  session.inbox = inbox;
  return `[CAPABILITY ${session.capabilities()}] authenticated`;
}

interface Credentials {
  readonly user: string;
  readonly password: string;
  readonly inbox: string | undefined;
}

/** Users may read every inbox. The token of an inbox is enough for it, and is needed on a server without users. */
async function mayRead(
  { context, address, signal }: ImapSessionState,
  { user, password, inbox }: Credentials,
): Promise<boolean> {
  const { checkPassword, inboxes } = context;
  const token = inbox === undefined ? "none" : await inboxes?.checkToken(inbox, password, { signal });
  if (token === "right") return true;
  return checkPassword === undefined ? token !== "wrong" : checkPassword(user, password, address);
}

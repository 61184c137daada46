import type { DynamoPort } from "@tablekeep/core";
import { defaultInbox, isInboxName, type MailOptions } from "@tablekeep/mail";
import {
  type ImapInboxes,
  type ImapPasswordCheck,
  imapServer,
  tableUidLog,
  type UidLog,
} from "@tablekeep/mail/imap";
import { passwordCheck, SignInThrottle } from "../auth/password-check.ts";
import { tokenHash } from "../auth/secret-files.ts";
import { hostAndPort, type Listener, listen } from "../listening/listener.ts";
import { secureContextOf } from "../options/option-checks.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { MailConfig } from "../options/store-configs.ts";
import { inboxOfUser, userWithoutInbox } from "./inboxes/choose-inbox.ts";
import type { Inboxes } from "./inboxes/inboxes.ts";
import type { ServedMail } from "./served-mail.ts";

/** The mail as read-only IMAP mailboxes, one for each inbox. Its users are those of the console, because both read mail. */
export function imapListener(
  { mail, inboxes }: Pick<ServedMail, "mail" | "inboxes">,
  { certificate, store }: Pick<MailConfig, "certificate" | "store">,
  options: ResolvedServerOptions,
  { port, table }: { readonly port: number; readonly table: DynamoPort },
): Listener {
  const { host, clock, logger } = options;
  const uidsOf = (given: MailOptions | undefined) => tableUidLog({ port: table, store: given, clock });
  const checkPassword = checkOf(options);
  const named = imapInboxes(inboxes, {
    hasUsers: checkPassword !== undefined,
    uidsOf: (inbox) => uidsOf({ ...store, inbox }),
  });
  const imap = imapServer({
    mail,
    uids: uidsOf(store),
    ...(store?.layout !== "mhdynamo" && { inboxes: named }),
    checkPassword,
    secureContext: certificate && secureContextOf(certificate),
    clock,
    logger,
  });
  return {
    name: "imap",
    purpose: "IMAP, read-only",
    server: imap.server,
    async start() {
      const bound = await listen(imap.server, { listener: "imap", host, port, portFlag: "--imap-port" });
      return `imap://${hostAndPort(host, bound)}`;
    },
    stop: () => imap.stop(),
  };
}

interface NamedOptions {
  readonly hasUsers: boolean;
  readonly uidsOf: (inbox: string) => UidLog;
}

/** The named inboxes as IMAP shows them. On a server without users, those with a token can be read with it only. */
function imapInboxes(inboxes: Inboxes, { hasUsers, uidsOf }: NamedOptions): ImapInboxes {
  const isNamed = (name: string) => name !== defaultInbox && isInboxName(name);
  return {
    ofUser(user) {
      const inbox = inboxOfUser(user);
      return inbox !== undefined && isNamed(inbox) ? inbox : undefined;
    },
    checkToken: inboxes.checkToken,
    async names(call) {
      const all = [...(await inboxes.directory.read(call)).values()];
      const readable = all.filter(({ tokenHash }) => hasUsers || tokenHash === undefined);
      return readable.map(({ name }) => name).filter(isNamed);
    },
    open: async (name, call) => ({ mail: (await inboxes.open(name, call)).mail, uids: uidsOf(name) }),
  };
}

/** A token may be the password of its name. As in SMTP, an inbox may be added to a name: `ann+branch`. */
function checkOf({ users, tokens, clock }: ResolvedServerOptions): ImapPasswordCheck | undefined {
  if (users === undefined && tokens === undefined) return undefined;
  const fits = passwordCheck(users ?? new Map(), new SignInThrottle(clock));
  return async (given, password, address) => {
    const user = users?.has(given) || tokens?.has(given) ? given : userWithoutInbox(given);
    return tokens?.get(user) === tokenHash(password) || fits(user, password, address);
  };
}

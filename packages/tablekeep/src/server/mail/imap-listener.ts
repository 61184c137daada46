import type { DynamoPort } from "@tablekeep/core";
import { type ImapPasswordCheck, imapServer, tableUidLog } from "@tablekeep/mail/imap";
import { passwordCheck, SignInThrottle } from "../auth/password-check.ts";
import { tokenHash } from "../auth/secret-files.ts";
import { hostAndPort, type Listener, listen } from "../listening/listener.ts";
import { secureContextOf } from "../options/option-checks.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { MailConfig } from "../options/store-configs.ts";
import type { ServedMail } from "./served-mail.ts";

/** The mail as a read-only IMAP mailbox. Its users are those of the console, because both read mail. */
export function imapListener(
  { mail }: Pick<ServedMail, "mail">,
  { certificate, store }: Pick<MailConfig, "certificate" | "store">,
  options: ResolvedServerOptions,
  { port, table }: { readonly port: number; readonly table: DynamoPort },
): Listener {
  const { host, clock, logger } = options;
  const imap = imapServer({
    mail,
    uids: tableUidLog({ port: table, store, clock }),
    checkPassword: checkOf(options),
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

/** A token may be the password of its name. */
function checkOf({ users, tokens, clock }: ResolvedServerOptions): ImapPasswordCheck | undefined {
  if (users === undefined && tokens === undefined) return undefined;
  const fits = passwordCheck(users ?? new Map(), new SignInThrottle(clock));
  return async (user, password, address) =>
    tokens?.get(user) === tokenHash(password) || fits(user, password, address);
}

import type { ChaosSettings, MailOptions, SmtpLimits } from "@tablekeep/mail";
import type { Users } from "../auth/users-file.ts";
import type { Certificate } from "../certificate.ts";
import type { Relays } from "../release/relays.ts";
import type { SmtpConnectionLimits } from "../smtp/smtp-connection-limits.ts";

/** The mail of a server: its store, and who may send what to it. */
export interface MailConfig {
  /** How the store is opened: table, layout, retention and all else. @default the store's own defaults */
  readonly store?: MailOptions | undefined;
  /** Who may send by SMTP; then every client must sign in. @default anybody */
  readonly users?: Users | undefined;
  /** With it SMTP offers STARTTLS. @default none */
  readonly certificate?: Certificate | undefined;
  /** Whether SMTP connections begin with TLS. Needs a certificate. @default false */
  readonly implicitTls?: boolean | undefined;
  /** Trouble on purpose, from the start. @default none until somebody asks for it */
  readonly chaos?: ChaosSettings | undefined;
  /** What trouble is like where somebody asks for it and leaves settings out. @default `chaos`, or MailHog's values */
  readonly usualChaos?: ChaosSettings | undefined;
  /** Where messages may be released to. @default nowhere */
  readonly relays?: Relays | undefined;
  /** Limits of SMTP other than the usual ones. @default none */
  readonly limits?: Partial<SmtpLimits & SmtpConnectionLimits> | undefined;
}

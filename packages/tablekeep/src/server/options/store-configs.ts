import type { JournalOptions } from "@tablekeep/journal";
import type { MailOptions } from "@tablekeep/mail";
import type { ChaosSettings, SmtpConnectionLimits, SmtpLimits } from "@tablekeep/mail/smtp";
import type { ShadowManagerOptions, ShadowsOptions } from "@tablekeep/shadow";
import type { IotPolicies } from "../auth/iot-policies.ts";
import type { Tokens, Users } from "../auth/secret-files.ts";
import type { Relays } from "../release/relays.ts";
import type { MailHook } from "../setting-files/mail-hooks-file.ts";
import type { RecipientRule } from "../setting-files/recipient-rules.ts";
import type { RelayRule } from "../setting-files/relay-rules.ts";
import type { ShadowRule } from "../setting-files/shadow-rules.ts";
import type { ShadowSchemas } from "../setting-files/shadow-schemas.ts";
import type { ShadowSyncConfig } from "../setting-files/shadow-sync-file.ts";
import type { Certificate } from "./option-checks.ts";

/** A journal that a server offers, and its snapshots. */
export interface JournalConfig {
  /** Its name in URLs. */
  readonly name: string;
  /** Options to open it: table, layout, journal name, shards and others. @default the journal's own defaults */
  readonly journal?: JournalOptions;
  /** The table of its snapshots. @default the journal's table if it is packed; otherwise "snapshots" */
  readonly snapshotTable?: string;
  /** The table of its projections; it may be missing. @default "projections" */
  readonly projectionsTable?: string;
}

/** The default journals of a server, which are also those of the command line. */
export const defaultJournals: readonly JournalConfig[] = [{ name: "journal" }];

/** The mail of a server: its store, and who may send what. */
export interface MailConfig {
  /** Options of the store: table, layout, retention and others. @default the store's own defaults */
  readonly store?: MailOptions;
  /** Users who may send mail over SMTP; if set, every client must authenticate. @default no authentication */
  readonly users?: Users;
  /** The certificate for STARTTLS. @default none: STARTTLS is not offered */
  readonly certificate?: Certificate;
  /** Whether SMTP connections begin with TLS. Needs a certificate. @default false */
  readonly implicitTls?: boolean;
  /** Enforce RFC 5321 in SMTP, instead of accepting what sloppy senders send. @default false */
  readonly strict?: boolean;
  /** SMTP fault injection from the start. @default off until a request starts it */
  readonly chaos?: ChaosSettings;
  /** Fault injection settings for requests that omit some. @default `chaos`, or MailHog's values */
  readonly defaultChaos?: ChaosSettings;
  /** Where messages may be released to. @default nowhere */
  readonly relays?: Relays;
  /** Relays every new message of an inbox, or only those to some recipients, to one of `relays`. @default nothing is relayed */
  readonly relayRules?: readonly RelayRule[];
  /** URLs that every new message is reported to. @default none */
  readonly hooks?: readonly MailHook[];
  /** Recipients whose mail bounces, is complained about or is rejected. @default those of Amazon SES's mailbox simulator */
  readonly recipientRules?: readonly RecipientRule[];
  /** Mail to an address at `name.domain`, for this domain, goes to the inbox `name` unless a rule or the user selects another. @default none */
  readonly inboxDomain?: string;
  /** Further ports of SMTP, on its host, by the inbox that gets all mail sent there; 0 lets the system choose. @default none */
  readonly inboxPorts?: Readonly<Record<string, number>>;
  /** SMTP limits that differ from the defaults. @default none */
  readonly limits?: Partial<SmtpLimits & SmtpConnectionLimits>;
}

/** One store of device shadows. */
export interface ShadowStoreConfig {
  /** Its name in URLs. @default "shadows" */
  readonly name?: string;
  /** Options of the store: table, model and others. @default the store's own defaults */
  readonly store?: ShadowsOptions;
  /** Policy and limits. @default AWS IoT's */
  readonly manager?: ShadowManagerOptions;
}

/** The device shadows of a server. */
export interface ShadowConfig extends ShadowStoreConfig {
  /** Further stores, served only by our own API. @default none */
  readonly others?: readonly ShadowStoreConfig[];
  /** Users of MQTT; with them, every client must sign in. @default none: any client may connect */
  readonly users?: Users;
  /** Tokens that MQTT accepts as passwords; with them, every client must sign in. @default none */
  readonly tokens?: Tokens;
  /** What each user may do, over MQTT and HTTP. @default everything */
  readonly policies?: IotPolicies;
  /** The schemas of all stores' shadows. @default none: every state is accepted */
  readonly schemas?: ShadowSchemas;
  /** URLs that receive the changes to the first store's shadows. Elsewhere than in a folder or in memory they need a stream, or `pollSeconds`. @default none */
  readonly rules?: readonly ShadowRule[];
  /** Shadows of the first store to sync with AWS IoT Core or another server. @default none */
  readonly sync?: ShadowSyncConfig;
  /** Whether an MQTT client reaches only the thing that is named after its user. Needs `users`, `tokens` or `clientCa`. @default false */
  readonly ownThingOnly?: boolean;
  /** The certificate for MQTT over TLS. @default none: plain TCP */
  readonly certificate?: Certificate;
  /**
   * Certificate authorities, in PEM: a client with a certificate of one of them is authenticated as the user in the
   * certificate's common name. Needs `certificate`. @default none: client certificates are not requested
   */
  readonly clientCa?: string | Buffer;
  /**
   * Whether to announce the changes by all writers, from the stream of the table. In a folder or in memory they are always announced.
   * @default false: only the changes by this server
   */
  readonly stream?: boolean;
  /**
   * Seconds between two reads of the whole table, which announce the newest changes by other writers, and run the rules, if there is no stream. In a folder or in
   * memory all changes are always announced. @default none: only the changes by this server
   */
  readonly pollSeconds?: number;
  /**
   * The name under which MQTT sessions and retained messages are stored in the table of the shadows. Servers that share a table
   * need different names. @default `mqtt` in a folder or in memory; elsewhere none, and sessions end with the process
   */
  readonly mqttName?: string;
}

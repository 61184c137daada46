import type { JournalOptions } from "@tablekeep/journal";
import type { MailOptions } from "@tablekeep/mail";
import type { ChaosSettings, SmtpConnectionLimits, SmtpLimits } from "@tablekeep/mail/smtp";
import type { ShadowManagerOptions, ShadowsOptions } from "@tablekeep/shadow";
import type { Users } from "../auth/secret-files.ts";
import type { Relays } from "../release/relays.ts";
import type { Certificate } from "./option-checks.ts";

/** A journal that a server offers, and its snapshots. */
export interface JournalConfig {
  /** What it is called in paths. */
  readonly name: string;
  /** How it is opened: table, layout, journal name, shards and all else. @default the journal's own defaults */
  readonly journal?: JournalOptions;
  /** The table of its snapshots. @default "snapshots" */
  readonly snapshotTable?: string;
}

/** The default journals of a server, which are also those of the command line. */
export const defaultJournals: readonly JournalConfig[] = [{ name: "journal" }];

/** The mail of a server: its store, and who may send what to it. */
export interface MailConfig {
  /** How the store is opened: table, layout, retention and all else. @default the store's own defaults */
  readonly store?: MailOptions;
  /** Who may send by SMTP; then every client must sign in. @default anybody */
  readonly users?: Users;
  /** With it SMTP offers STARTTLS. @default none */
  readonly certificate?: Certificate;
  /** Whether SMTP connections begin with TLS. Needs a certificate. @default false */
  readonly implicitTls?: boolean;
  /** SMTP fault injection from the start. @default off until a request starts it */
  readonly chaos?: ChaosSettings;
  /** Fault injection settings for requests that omit some. @default `chaos`, or MailHog's values */
  readonly defaultChaos?: ChaosSettings;
  /** Where messages may be released to. @default nowhere */
  readonly relays?: Relays;
  /** SMTP limits that differ from the defaults. @default none */
  readonly limits?: Partial<SmtpLimits & SmtpConnectionLimits>;
}

/** One store of device shadows. */
export interface ShadowStoreConfig {
  /** What it is called in paths. @default "shadows" */
  readonly name?: string;
  /** How the store is opened: table, model and all else. @default the store's own defaults */
  readonly store?: ShadowsOptions;
  /** Policy and limits. @default AWS IoT's */
  readonly manager?: ShadowManagerOptions;
}

/** The device shadows of a server. */
export interface ShadowConfig extends ShadowStoreConfig {
  /** Further stores, which only our own API leads to. @default none */
  readonly others?: readonly ShadowStoreConfig[];
  /** Who may connect by MQTT. @default anybody */
  readonly users?: Users;
  /** Whether an MQTT client reaches only the thing that is named after its user. Needs `users` or `clientCa`. @default false */
  readonly ownThingOnly?: boolean;
  /** With it, connections by MQTT begin with TLS. @default plain TCP */
  readonly certificate?: Certificate;
  /**
   * Authorities, in PEM: a client with a certificate of theirs is signed in as the user that the certificate's common name
   * says. Needs `certificate`. @default none: certificates of clients are not asked for
   */
  readonly clientCa?: string | Buffer;
}

import type { ShadowManagerOptions, ShadowsOptions } from "@tablekeep/shadow";
import type { Users } from "../auth/users-file.ts";
import type { Certificate } from "../certificate.ts";

/** One store of device shadows. */
export interface ShadowStoreConfig {
  /** What it is called in paths. @default "shadows" */
  readonly name?: string | undefined;
  /** How the store is opened: table, model and all else. @default the store's own defaults */
  readonly store?: ShadowsOptions | undefined;
  /** Policy and limits. @default AWS IoT's */
  readonly manager?: ShadowManagerOptions | undefined;
}

/** The device shadows of a server. */
export interface ShadowConfig extends ShadowStoreConfig {
  /** Further stores, which only our own API leads to. @default none */
  readonly others?: readonly ShadowStoreConfig[] | undefined;
  /** Who may connect by MQTT. @default anybody */
  readonly users?: Users | undefined;
  /** Whether an MQTT client reaches only the thing that is named after its user. Needs `users` or `clientCa`. @default false */
  readonly ownThingOnly?: boolean | undefined;
  /** With it, connections by MQTT begin with TLS. @default plain TCP */
  readonly certificate?: Certificate | undefined;
  /**
   * Authorities, in PEM: a client with a certificate of theirs is signed in as the user that the certificate's common name
   * says. Needs `certificate`. @default none: certificates of clients are not asked for
   */
  readonly clientCa?: string | Buffer | undefined;
}

import type { TopicAccess } from "./mqtt-session.ts";
import type { Rejection } from "./reason-codes.ts";

/** The origin of a connection. */
export interface MqttPeer {
  /** The IP address. */
  readonly address: string;
  /** The common name of the client's certificate, which TLS has verified; it is the user. @default none */
  readonly certificateName?: string;
  /** The user who opened the web socket. @default none */
  readonly httpUser?: string;
}

/** What a client presents to be authenticated. */
export interface MqttCredentials extends MqttPeer {
  readonly clientId: string;
  readonly userName: string;
  readonly password: string;
}

/** A client by its names. */
export interface MqttUser {
  readonly clientId: string;
  /** The authenticated user; undefined without authentication. */
  readonly userName?: string;
}

/** Decides who may connect, and what clients may do. */
export interface MqttGuard {
  /** Authenticates a client: its user, or why it is rejected. */
  signIn(credentials: MqttCredentials): Promise<Pick<MqttUser, "userName"> | Rejection>;
  /** What a client may do; undefined if it may not connect. */
  accessOf(user: MqttUser): TopicAccess | undefined;
}

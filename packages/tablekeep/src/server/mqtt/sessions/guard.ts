import type { Rejection } from "../protocol/reason-codes.ts";
import type { TopicAccess } from "./mqtt-session.ts";

/** The origin of a connection. */
export interface MqttPeer {
  /** The IP address. */
  readonly address: string;
  /** The common name of the client's certificate, which TLS has verified; it is the user. @default none */
  readonly certificateName?: string;
  /** The user who opened the web socket. @default none */
  readonly httpUser?: string;
}

/** The credentials of a client. */
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

/** Authenticates clients, and determines their permissions. */
export interface MqttGuard {
  /** Authenticates a client: its user, or why it is rejected. */
  signIn(credentials: MqttCredentials): Promise<Pick<MqttUser, "userName"> | Rejection>;
  /** The permissions of a client; undefined if it may not connect. */
  accessOf(user: MqttUser): TopicAccess | undefined;
}

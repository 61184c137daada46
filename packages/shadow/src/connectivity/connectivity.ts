import type { DocumentObject } from "../document/document-value.ts";

/** Why a connection ended: AWS IoT's words, and `SERVER_LOST` for a server that ended without storing it, such as after `kill -9`. */
export type DisconnectReason =
  | "CLIENT_INITIATED_DISCONNECT"
  | "CLIENT_ERROR"
  | "CONNECTION_LOST"
  | "DUPLICATE_CLIENTID"
  | "MQTT_KEEP_ALIVE_TIMEOUT"
  | "SERVER_ERROR"
  | "SERVER_INITIATED_DISCONNECT"
  | "SERVER_LOST";

/** Whether a thing is connected. Times are milliseconds since 1970, by the clocks of servers. */
export interface Connectivity {
  readonly connected: boolean;
  /** When it last connected. */
  readonly connectedAt: number;
  /** The latest time at which it can have disconnected. Undefined if it never has, or if unknown. */
  readonly disconnectedAt?: number;
  /** Why it last disconnected. */
  readonly reason?: DisconnectReason;
  /** Whether its last will was published then. */
  readonly willPublished?: boolean;
  /** How often it has connected. */
  readonly version: number;
}

/**
 * Returns connectivity as queries and JSON show it, with times in ISO 8601, which sort as strings.
 *
 * @example
 * connectivityDocument({ connected: true, connectedAt: 0, version: 1 });
 * // { connected: true, connectedAt: "1970-01-01T00:00:00.000Z", version: 1 }
 */
export function connectivityDocument(connectivity: Connectivity): DocumentObject {
  const { connected, connectedAt, disconnectedAt, reason, willPublished, version } = connectivity;
  return {
    connected,
    connectedAt: new Date(connectedAt).toISOString(),
    ...(disconnectedAt !== undefined && { disconnectedAt: new Date(disconnectedAt).toISOString() }),
    ...(reason !== undefined && { reason }),
    ...(willPublished !== undefined && { willPublished }),
    version,
  };
}

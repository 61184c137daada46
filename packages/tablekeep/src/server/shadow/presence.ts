import { randomUUID } from "node:crypto";
import type { ConnectionLog, DisconnectReason } from "@tablekeep/shadow";
import type { ConnectedClient, ConnectionListener, EndCause } from "../mqtt/connection-listener.ts";

/** AWS's words for the ends of connections. */
const reasons: Readonly<Record<EndCause, DisconnectReason>> = {
  client: "CLIENT_INITIATED_DISCONNECT",
  "client error": "CLIENT_ERROR",
  "keep-alive": "MQTT_KEEP_ALIVE_TIMEOUT",
  lost: "CONNECTION_LOST",
  "taken over": "DUPLICATE_CLIENTID",
  server: "SERVER_INITIATED_DISCONNECT",
  "server error": "SERVER_ERROR",
  stop: "SERVER_INITIATED_DISCONNECT",
};

/** Dependencies of the presence of clients. */
export interface PresenceOptions {
  readonly log: ConnectionLog;
  /** Sends a message to its subscribers. */
  readonly publish: (message: { readonly topic: string; readonly payload: string }) => void;
  readonly now: () => number;
}

/**
 * Stores which things are connected, and then sends AWS's lifecycle events. As in AWS's fleet indexing, the client id is the
 * name of the thing. Ids that the server chose belong to no thing.
 */
export function presence({ log, publish, now }: PresenceOptions): ConnectionListener {
  return (client) => {
    if (client.isAssigned) return () => {};
    const sessionIdentifier = randomUUID();
    const announce = (eventType: string, timestamp: number, versionNumber: number, more: object = {}) => {
      // AWS: client ids with wildcards have no lifecycle events.
      if (/[+#]/.test(client.clientId)) return;
      const event = { ...factsOf(client), timestamp, eventType, sessionIdentifier, versionNumber, ...more };
      publish({
        topic: `$aws/events/presence/${eventType}/${client.clientId}`,
        payload: JSON.stringify(event),
      });
    };
    const connectedAt = now();
    const connection = log.connected(client.clientId, (version) =>
      announce("connected", connectedAt, version),
    );
    return ({ cause, willPublished }) => {
      // The end of the server ends all its connections, and is stored only once.
      if (cause === "stop") return;
      const disconnectedAt = now();
      const disconnectReason = reasons[cause];
      const more = { clientInitiatedDisconnect: cause === "client", disconnectReason };
      void connection.ended({ reason: disconnectReason, willPublished }).then((version) => {
        if (version !== undefined) announce("disconnected", disconnectedAt, version, more);
      });
    };
  };
}

function factsOf({ clientId, userName, address }: ConnectedClient): object {
  return { clientId, ...(userName !== undefined && { principalIdentifier: userName }), ipAddress: address };
}

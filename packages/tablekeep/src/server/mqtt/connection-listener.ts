import { type Reason, reason } from "./protocol/reason-codes.ts";

/** Why a connection ended. */
export type EndCause =
  | "client"
  | "client error"
  | "keep-alive"
  | "lost"
  | "taken over"
  | "server"
  | "server error"
  | "stop";

/** The end of a connection. */
export interface ConnectionEnd {
  readonly cause: EndCause;
  /** Whether the last will of the client is published, now or after its delay. */
  readonly willPublished: boolean;
}

/** A client that has connected. */
export interface ConnectedClient {
  readonly clientId: string;
  /** Whether the server chose the client id. */
  readonly isAssigned: boolean;
  readonly userName?: string;
  /** The IP address. */
  readonly address: string;
}

/** Called when a client has connected. The function that it returns is called when the connection has ended. */
export type ConnectionListener = (client: ConnectedClient) => (end: ConnectionEnd) => void;

/** Facts about the end of a connection. */
export interface EndFacts {
  /** Whether the client sent DISCONNECT. */
  readonly hasDisconnected: boolean;
  /** Whether the server ended it. */
  readonly isCut: boolean;
  readonly cutCode?: Reason;
}

const causes: ReadonlyMap<Reason | undefined, EndCause> = new Map<Reason, EndCause>([
  [reason.keepAliveTimeout, "keep-alive"],
  [reason.sessionTakenOver, "taken over"],
  [reason.administrativeAction, "server"],
  [reason.unspecified, "server error"],
]);

/** Why a connection ended. Unless there is another reason, a connection that the server ends is an error of the client, such as not reading. */
export function endCause({ hasDisconnected, isCut, cutCode }: EndFacts): EndCause {
  if (hasDisconnected) return "client";
  return isCut ? (causes.get(cutCode) ?? "client error") : "lost";
}

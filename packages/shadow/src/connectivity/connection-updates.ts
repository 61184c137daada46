import type { UpdateItemInput } from "@tablekeep/core";
import { expiryAttribute } from "../rows/stored-row.ts";
import type { DisconnectReason } from "./connectivity.ts";
import { connectionKey, numberAttribute } from "./connectivity-items.ts";

/** Seconds for which the last disconnect of a thing is stored. */
const keptSeconds = 90 * 86_400;

/** A stored connection. */
export interface StoredConnection {
  readonly thing: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** The id under which it is stored, which begins with the epoch. */
  readonly id: string;
}

/** The end of a connection. */
export interface Disconnection {
  readonly reason: DisconnectReason;
  readonly willPublished: boolean;
}

/**
 * The update that stores a connection, unless a later connection of the thing to another server is stored: this request may be
 * late. Connections to the same server are ordered by their writes, because its clock may have been set back. `isAgain`: the
 * connection is stored again under a new epoch, and is not counted again.
 */
export function connectUpdate(
  table: string,
  { thing, at, id }: StoredConnection,
  { server, epoch, isAgain }: { readonly server: string; readonly epoch: number; readonly isAgain: boolean },
): UpdateItemInput {
  const isNewer = isAgain ? "ConnectedAt <= :at" : "(ConnectedAt <= :at OR #Server = :server)";
  return {
    TableName: table,
    Key: connectionKey(thing),
    UpdateExpression: `SET ConnectionId = :id, Connected = :true, ConnectedAt = :at, #Server = :server, Epoch = :epoch REMOVE ${expiryAttribute} ADD Version :one`,
    ConditionExpression: `attribute_not_exists(ConnectionId) OR (ConnectionId <> :id AND ${isNewer})`,
    ExpressionAttributeNames: { "#Server": "Server" },
    ExpressionAttributeValues: {
      ":id": { S: id },
      ":true": { BOOL: true },
      ":at": numberAttribute(at),
      ":server": { S: server },
      ":epoch": numberAttribute(epoch),
      ":one": numberAttribute(isAgain ? 0 : 1),
    },
    ReturnValues: "UPDATED_NEW",
  };
}

/** The update that stores the end of a connection, unless another connection of the thing is stored. */
export function disconnectUpdate(
  table: string,
  { thing, id }: StoredConnection,
  at: number,
  { reason, willPublished }: Disconnection,
): UpdateItemInput {
  return {
    TableName: table,
    Key: connectionKey(thing),
    UpdateExpression: `SET Connected = :false, DisconnectedAt = :at, Reason = :reason, WillPublished = :will, ${expiryAttribute} = :expiry`,
    ConditionExpression: "ConnectionId = :id",
    ExpressionAttributeValues: {
      ":id": { S: id },
      ":false": { BOOL: false },
      ":at": numberAttribute(at),
      ":reason": { S: reason },
      ":will": { BOOL: willPublished },
      ":expiry": numberAttribute(Math.floor(at / 1000) + keptSeconds),
    },
    ReturnValues: "ALL_NEW",
  };
}

import type { Item, Key } from "@tablekeep/core";
import type { Connectivity, DisconnectReason } from "./connectivity.ts";

/** The key of the item that says whether a thing is connected. */
export function connectionKey(thing: string): Key {
  return { PK: { S: `FC#${thing}` }, SK: { S: "connection" } };
}

/** The key of the lease of a server. */
export function leaseKey(server: string): Key {
  return { PK: { S: "FL#servers" }, SK: { S: server } };
}

/** The end of a connection. */
export interface ConnectionEnd {
  /** Milliseconds since 1970. */
  readonly at?: number;
  readonly reason: DisconnectReason;
}

/**
 * The lease of a server: while it is valid, connections of this epoch that are stored as connected count as connected. Each start of the server is an
 * epoch, so that connections that an earlier run left behind do not count.
 */
export interface ServerLease {
  readonly epoch: number;
  /** The process that began the epoch. */
  readonly run: string;
  readonly startedAt: number;
  readonly expiresAt: number;
  /** When the server stopped. @default it has not stopped */
  readonly endedAt?: number;
  /** The end of the previous epoch. @default there was none */
  readonly before?: ConnectionEnd;
}

/** The attributes of a lease. */
export function leaseItem(server: string, lease: ServerLease): Item {
  const { epoch, run, startedAt, expiresAt, endedAt, before } = lease;
  return {
    ...leaseKey(server),
    Epoch: numberAttribute(epoch),
    Run: { S: run },
    StartedAt: numberAttribute(startedAt),
    LeaseUntil: numberAttribute(expiresAt),
    ...(endedAt !== undefined && { EndedAt: numberAttribute(endedAt) }),
    ...(before?.at !== undefined && { BeforeAt: numberAttribute(before.at) }),
    ...(before !== undefined && { BeforeReason: { S: before.reason } }),
  };
}

export function readLease(item: Item): ServerLease {
  const [at, reason] = [timeOf(item, "BeforeAt"), item["BeforeReason"]?.S];
  const endedAt = timeOf(item, "EndedAt");
  return {
    epoch: timeOf(item, "Epoch") ?? 0,
    run: item["Run"]?.S ?? "",
    startedAt: timeOf(item, "StartedAt") ?? 0,
    expiresAt: timeOf(item, "LeaseUntil") ?? 0,
    ...(endedAt !== undefined && { endedAt }),
    ...(reason !== undefined && {
      before: { reason: reason as DisconnectReason, ...(at !== undefined && { at }) },
    }),
  };
}

/** How the current epoch of a lease ended; undefined if it is still valid. */
export function endOfLease({ expiresAt, endedAt }: ServerLease, now: number): ConnectionEnd | undefined {
  if (endedAt !== undefined) return { at: endedAt, reason: "SERVER_INITIATED_DISCONNECT" };
  return expiresAt <= now ? { at: expiresAt, reason: "SERVER_LOST" } : undefined;
}

/** The server and the epoch of a stored connection that has not ended. */
export interface ConnectionOwner {
  readonly server: string;
  readonly epoch: number;
}

/** The owner of a stored connection; undefined if the connection has ended. */
export function ownerOf(item: Item): ConnectionOwner | undefined {
  if (item["Connected"]?.BOOL !== true) return undefined;
  return { server: item["Server"]?.S ?? "", epoch: timeOf(item, "Epoch") ?? 0 };
}

/** Whether a thing is connected, from its item and the lease of the server that wrote it. */
export function connectivityOf(item: Item, lease: ServerLease | undefined, now: number): Connectivity {
  const owner = ownerOf(item);
  const [connectedAt, endedAt] = [timeOf(item, "ConnectedAt") ?? 0, timeOf(item, "DisconnectedAt")];
  const reason = item["Reason"]?.S as DisconnectReason | undefined;
  const stored: Connectivity = {
    connected: owner !== undefined,
    connectedAt,
    ...(endedAt !== undefined && { disconnectedAt: endedAt }),
    ...(reason !== undefined && { reason, willPublished: item["WillPublished"]?.BOOL === true }),
    version: timeOf(item, "Version") ?? 0,
  };
  const end = owner && endOfOwner(owner, lease, now);
  if (end === undefined) return stored;
  const { version } = stored;
  const { at, reason: why } = end;
  // A will may be published after the next start of the server, which is unknown here.
  return {
    connected: false,
    connectedAt,
    ...(at !== undefined && { disconnectedAt: Math.max(at, connectedAt) }),
    reason: why,
    version,
  };
}

function endOfOwner(
  { epoch }: ConnectionOwner,
  lease: ServerLease | undefined,
  now: number,
): ConnectionEnd | undefined {
  if (lease === undefined) return { reason: "SERVER_LOST" };
  if (lease.epoch === epoch) return endOfLease(lease, now);
  return lease.epoch === epoch + 1 && lease.before !== undefined ? lease.before : { reason: "SERVER_LOST" };
}

export function numberAttribute(value: number): { readonly N: string } {
  return { N: String(value) };
}

function timeOf(item: Item, name: string): number | undefined {
  const text = item[name]?.N;
  return text === undefined ? undefined : Number(text);
}

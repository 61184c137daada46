import { newWriteId, OperationRetries, startOperation } from "@tablekeep/client";
import {
  type CallOptions,
  type CancelTimer,
  type Clock,
  type DynamoPort,
  isDynamoError,
  isTablekeepError,
  type Logger,
  type UpdateItemInput,
} from "@tablekeep/core";
import { expiryAttribute } from "../rows/stored-row.ts";
import type { DisconnectReason } from "./connectivity.ts";
import { connectionKey, numberAttribute } from "./connectivity-items.ts";
import { HeldLease, renewMs } from "./server-lease.ts";

/** Dependencies of a connection log. */
export interface ConnectionLogOptions {
  readonly port: DynamoPort;
  /** The table of the shadows. */
  readonly table: string;
  /** The name of this server, the same after a restart. Servers that share a table need different ones. @default a random one */
  readonly server?: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The end of a connection. */
export interface Disconnection {
  readonly reason: DisconnectReason;
  readonly willPublished: boolean;
}

/** One connection of a thing. */
export interface LoggedConnection {
  /**
   * Stores that the connection has ended. Resolves once that is stored, with how often the thing has connected, or undefined if a later connection
   * of the thing is stored, or if it could not be stored. Never rejects.
   */
  ended(end: Disconnection): Promise<number | undefined>;
}

/** Events that wait to be stored; beyond it they are dropped, and all connections are stored again. */
const maxWaiting = 20_000;
const parallel = 16;
/** Seconds for which the last disconnect of a thing is stored. */
const keptSeconds = 90 * 86_400;

interface Current {
  readonly thing: string;
  readonly at: number;
  /** The id under which it is stored, which has the epoch. */
  id: string;
}

/** Stores something about a thing. Rejects if that failed. */
type ThingWrite = (call: CallOptions) => Promise<number | undefined>;

/**
 * Stores which things are connected to this server. Each is stored with the epoch of the server's lease, so that nothing that a crash leaves behind
 * counts. While nothing is connected, nothing is written.
 */
export class ConnectionLog {
  readonly #options: ConnectionLogOptions;
  readonly #server: string;
  readonly #lease: HeldLease;
  readonly #closing = new AbortController();
  readonly #current = new Set<Current>();
  /** The last write of each thing: those of one thing follow each other. */
  readonly #lines = new Map<string, Promise<unknown>>();
  readonly #free: (() => void)[] = [];
  #running = 0;
  #waiting = 0;
  #isIncomplete = false;
  #isFailing = false;
  #beginning: Promise<void> | undefined;
  #prolonging: Promise<void> | undefined;
  #cancelTimer: CancelTimer | undefined;

  constructor(options: ConnectionLogOptions) {
    this.#options = options;
    this.#server = options.server ?? newWriteId();
    const { port, table, clock } = options;
    const isLasting = options.server !== undefined;
    this.#lease = new HeldLease({ port, table, server: this.#server, isLasting, clock });
  }

  /** Ends what an earlier run of this server has left behind. */
  async start(): Promise<void> {
    if (this.#options.server !== undefined) await this.#lease.replaceLeftover();
  }

  /**
   * Stores that a thing is connected. `stored` is called once that is stored, with how often it has connected.
   *
   * @example
   * const connection = log.connected("lamp");
   * await connection.ended({ reason: "CONNECTION_LOST", willPublished: true });
   */
  connected(thing: string, stored?: (version: number) => void): LoggedConnection {
    const connection: Current = { thing, at: this.#options.clock.now(), id: "" };
    this.#current.add(connection);
    this.#cancelTimer ??= this.#renewLater();
    void this.#write(thing, (call) => this.#connect(connection, false, call)).then((version) => {
      if (version !== undefined) stored?.(version);
    });
    return {
      ended: (end) => {
        const at = this.#options.clock.now();
        this.#current.delete(connection);
        return this.#write(thing, (call) => this.#disconnect(connection, at, end, call));
      },
    };
  }

  /** Waits for what is being stored, and stores that this server has stopped: all its connections count as ended. */
  async close(): Promise<void> {
    this.#cancelTimer?.();
    this.#closing.abort();
    await Promise.allSettled(this.#lines.values());
    await this.#lease.end().catch((error: unknown) => this.#failed(error));
  }

  /** Runs a write after the earlier ones of its thing. Never rejects. */
  #write(thing: string, write: ThingWrite): Promise<number | undefined> {
    if (this.#closing.signal.aborted || this.#lease.isSuperseded) return Promise.resolve(undefined);
    if (this.#waiting >= maxWaiting) {
      this.#isIncomplete = true;
      return Promise.resolve(undefined);
    }
    this.#waiting++;
    const own = (this.#lines.get(thing) ?? Promise.resolve()).then(() => this.#inTurn(write));
    this.#lines.set(thing, own);
    return own.finally(() => {
      this.#waiting--;
      if (this.#lines.get(thing) === own) this.#lines.delete(thing);
    });
  }

  async #inTurn(write: ThingWrite): Promise<number | undefined> {
    if (this.#running >= parallel) await new Promise<void>((resolve) => this.#free.push(resolve));
    this.#running++;
    try {
      return await this.#untilStored(write);
    } finally {
      this.#running--;
      this.#free.shift()?.();
    }
  }

  async #untilStored(write: ThingWrite): Promise<number | undefined> {
    const { port, clock } = this.#options;
    const { signal } = this.#closing;
    const retries = new OperationRetries(port, startOperation({ clock, signal }));
    for (;;) {
      try {
        // Closing waits for a request in flight.
        const stored = await write({ ...retries.callOptions(), signal: undefined });
        retries.succeeded();
        return stored;
      } catch (error) {
        this.#failed(error);
        const mayPass = isTablekeepError(error) && (error.retryable || error.ambiguous);
        if (mayPass && (await retries.wait(error))) continue;
      }
      if (!signal.aborted) this.#isIncomplete = true;
      return undefined;
    }
  }

  /**
   * Stores a connection unless a later one of the thing is stored, by another server: this request may be late. Our own clock may have
   * been set back, so that our own connections are ordered by their writes.
   */
  async #connect(connection: Current, isAgain: boolean, call: CallOptions): Promise<number | undefined> {
    const epoch = await this.#epoch();
    if (epoch === undefined) return undefined;
    const { thing, at } = connection;
    if (!connection.id.startsWith(`${epoch}#`)) connection.id = `${epoch}#${newWriteId()}`;
    const isNewer = isAgain ? "ConnectedAt <= :at" : "(ConnectedAt <= :at OR #Server = :server)";
    return this.#update(
      {
        TableName: this.#options.table,
        Key: connectionKey(thing),
        UpdateExpression: `SET ConnectionId = :id, Connected = :true, ConnectedAt = :at, #Server = :server, Epoch = :epoch REMOVE ${expiryAttribute} ADD Version :one`,
        ConditionExpression: `attribute_not_exists(ConnectionId) OR (ConnectionId <> :id AND ${isNewer})`,
        ExpressionAttributeNames: { "#Server": "Server" },
        ExpressionAttributeValues: {
          ":id": { S: connection.id },
          ":true": { BOOL: true },
          ":at": numberAttribute(at),
          ":server": { S: this.#server },
          ":epoch": numberAttribute(epoch),
          ":one": numberAttribute(isAgain ? 0 : 1),
        },
        ReturnValues: "UPDATED_NEW",
      },
      call,
    );
  }

  async #disconnect(
    { thing, id }: Current,
    at: number,
    { reason, willPublished }: Disconnection,
    call: CallOptions,
  ): Promise<number | undefined> {
    if (id === "") return undefined;
    return this.#update(
      {
        TableName: this.#options.table,
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
      },
      call,
    );
  }

  /** Sends an update. A condition that fails means that it is stored, or that a later connection is. */
  async #update(input: UpdateItemInput, call: CallOptions): Promise<number | undefined> {
    try {
      const { Attributes } = await this.#options.port.updateItem(input, call);
      this.#isFailing = false;
      return Number(Attributes?.["Version"]?.N ?? 0);
    } catch (error) {
      if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
      return undefined;
    }
  }

  /** The epoch of a lease that holds; undefined if another server has the name. */
  async #epoch(): Promise<number | undefined> {
    if (!this.#lease.isSuperseded && this.#lease.epoch === undefined) await this.#begin();
    else if (!this.#lease.isSuperseded && this.#lease.isEndingSoon) await this.#prolong();
    return this.#lease.isSuperseded ? undefined : this.#lease.epoch;
  }

  /** Begins an epoch, and stores under it all connections that are stored under an earlier one, or are not. */
  async #begin(): Promise<void> {
    this.#beginning ??= this.#lease
      .begin()
      .then(() => {
        this.#isIncomplete = false;
        for (const connection of this.#current)
          void this.#write(connection.thing, (call) => this.#again(connection, call));
      })
      .finally(() => {
        this.#beginning = undefined;
      });
    await this.#beginning;
  }

  /** Renews the lease for a connection that its next renewal would be too late for. */
  async #prolong(): Promise<void> {
    this.#prolonging ??= this.#lease.renew().finally(() => {
      this.#prolonging = undefined;
    });
    await this.#prolonging;
  }

  async #again(connection: Current, call: CallOptions): Promise<number | undefined> {
    return this.#current.has(connection) ? this.#connect(connection, true, call) : undefined;
  }

  #renewLater(): CancelTimer {
    return this.#options.clock.after(renewMs, () => void this.#renew(), { background: true });
  }

  /** Renews the lease while something is connected. If it has lapsed, or something was not stored, a new epoch begins. */
  async #renew(): Promise<void> {
    this.#cancelTimer = undefined;
    if (this.#closing.signal.aborted || (this.#current.size === 0 && this.#waiting === 0)) return;
    try {
      if (this.#lease.epoch === undefined || this.#isIncomplete) await this.#begin();
      else await this.#lease.renew();
    } catch (error) {
      this.#failed(error);
    }
    if (this.#closing.signal.aborted) return;
    const { server, logger } = this.#options;
    if (!this.#lease.isSuperseded) this.#cancelTimer ??= this.#renewLater();
    else logger.error("another server uses this name: connections of things are not stored", { server });
  }

  /** Logs the first of several failures. */
  #failed(error: unknown): void {
    if (!this.#isFailing)
      this.#options.logger.warn("could not store the connections of things; trying again", { error });
    this.#isFailing = true;
  }
}

import { newWriteId } from "@tablekeep/client";
import {
  type CallOptions,
  type CancelTimer,
  type Clock,
  type DynamoPort,
  isDynamoError,
  type Logger,
  type UpdateItemInput,
} from "@tablekeep/core";
import {
  connectUpdate,
  type Disconnection,
  disconnectUpdate,
  type StoredConnection,
} from "./connection-updates.ts";
import { HeldLease, renewMs } from "./server-lease.ts";
import { type ThingWrite, ThingWrites } from "./thing-writes.ts";

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

/** One connection of a thing. */
export interface LoggedConnection {
  /**
   * Stores that the connection has ended. Resolves to the number of connections of the thing so far, or to undefined if a later
   * connection of the thing is stored or the write failed. Never rejects.
   */
  ended(end: Disconnection): Promise<number | undefined>;
}

/** A current connection. It gets its id when it is stored, and another one in each epoch. */
type Current = { -readonly [Key in keyof StoredConnection]: StoredConnection[Key] };

/**
 * Stores which things are connected to this server. Each connection is stored with the epoch of the server's lease, so that
 * connections left behind by a crash do not count. Writes nothing while no thing is connected.
 */
export class ConnectionLog {
  readonly #options: ConnectionLogOptions;
  readonly #server: string;
  readonly #lease: HeldLease;
  readonly #closing = new AbortController();
  readonly #current = new Set<Current>();
  readonly #writes: ThingWrites;
  /** Set after a write was lost: a new epoch begins, under which all connections are stored again. */
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
    this.#writes = new ThingWrites({
      port,
      clock,
      signal: this.#closing.signal,
      onError: (error) => this.#failed(error),
      onLost: () => {
        this.#isIncomplete = true;
      },
    });
  }

  /** Ends the connections that an earlier run of this server left behind. */
  async start(): Promise<void> {
    if (this.#options.server !== undefined) await this.#lease.replaceLeftover();
  }

  /**
   * Stores that a thing is connected. Then calls `stored` with the number of its connections so far.
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

  /** Waits for pending writes, and stores that this server has stopped: all its connections count as ended. */
  async close(): Promise<void> {
    this.#cancelTimer?.();
    this.#closing.abort();
    await this.#writes.settled();
    await this.#lease.end().catch((error: unknown) => this.#failed(error));
  }

  #write(thing: string, write: ThingWrite): Promise<number | undefined> {
    if (this.#closing.signal.aborted || this.#lease.isSuperseded) return Promise.resolve(undefined);
    return this.#writes.add(thing, write);
  }

  async #connect(connection: Current, isAgain: boolean, call: CallOptions): Promise<number | undefined> {
    const epoch = await this.#epoch();
    if (epoch === undefined) return undefined;
    if (!connection.id.startsWith(`${epoch}#`)) connection.id = `${epoch}#${newWriteId()}`;
    const { table } = this.#options;
    return this.#update(connectUpdate(table, connection, { server: this.#server, epoch, isAgain }), call);
  }

  async #disconnect(
    connection: Current,
    at: number,
    end: Disconnection,
    call: CallOptions,
  ): Promise<number | undefined> {
    if (connection.id === "") return undefined;
    return this.#update(disconnectUpdate(this.#options.table, connection, at, end), call);
  }

  /** Sends an update. If its condition fails, the update is already stored, or a later connection is. */
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

  /** The epoch of the lease, which is acquired or renewed if necessary; undefined if another server uses the name. */
  async #epoch(): Promise<number | undefined> {
    if (!this.#lease.isSuperseded && this.#lease.epoch === undefined) await this.#begin();
    else if (!this.#lease.isSuperseded && this.#lease.isEndingSoon) await this.#prolong();
    return this.#lease.isSuperseded ? undefined : this.#lease.epoch;
  }

  /** Begins an epoch, and stores all current connections under it. */
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

  /** Renews the lease before the timer does, because it ends soon. */
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

  /** Renews the lease while a thing is connected. Begins a new epoch if the lease has lapsed or a write was lost. */
  async #renew(): Promise<void> {
    this.#cancelTimer = undefined;
    if (this.#closing.signal.aborted || (this.#current.size === 0 && this.#writes.size === 0)) return;
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

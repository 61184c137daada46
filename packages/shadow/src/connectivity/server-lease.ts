import { newWriteId } from "@tablekeep/client";
import { type Clock, type DynamoPort, isDynamoError } from "@tablekeep/core";
import { expiryAttribute } from "../rows/stored-row.ts";
import {
  endOfLease,
  leaseItem,
  leaseKey,
  numberAttribute,
  readLease,
  type ServerLease,
} from "./connectivity-items.ts";

/** Milliseconds for which a lease is valid, and after which it is renewed. */
const leaseMs = 30_000;
export const renewMs = 10_000;
/** Seconds for which the lease of a server without a lasting name is stored. */
const keptSeconds = 90 * 86_400;

/** Dependencies of a lease. */
export interface LeaseOptions {
  readonly port: DynamoPort;
  readonly table: string;
  /** The name of the server. Two servers that run at the same time must have different names. */
  readonly server: string;
  /** Whether the next start of the server has the same name. */
  readonly isLasting: boolean;
  readonly clock: Clock;
}

/** The lease that this server holds. Another process that starts with its name takes it over permanently. */
export class HeldLease {
  readonly #options: LeaseOptions;
  readonly #run = newWriteId();
  #held: ServerLease | undefined;
  #isSuperseded = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Whether another process now uses the name. */
  get isSuperseded(): boolean {
    return this.#isSuperseded;
  }

  /** The epoch of the lease; undefined if it is not valid now. */
  get epoch(): number | undefined {
    const { clock } = this.#options;
    return this.#held !== undefined && this.#held.expiresAt > clock.now() ? this.#held.epoch : undefined;
  }

  /** Whether the lease would end before its next renewal, or soon after: it was not renewed while nothing was connected. */
  get isEndingSoon(): boolean {
    const { clock } = this.#options;
    return this.#held !== undefined && this.#held.expiresAt - clock.now() < leaseMs - renewMs;
  }

  /** Begins an epoch if an earlier run left a lease that has not expired. */
  async replaceLeftover(): Promise<void> {
    const found = await this.#read();
    if (found !== undefined && found.endedAt === undefined) await this.#beginAfter(found);
  }

  /** Begins an epoch: connections of earlier ones count as ended. */
  async begin(): Promise<void> {
    const found = await this.#read();
    if (this.#held !== undefined && found !== undefined && found.run !== this.#run) this.#isSuperseded = true;
    else await this.#beginAfter(found);
  }

  /** Prolongs the lease. */
  async renew(): Promise<void> {
    if (this.#held === undefined) return;
    const expiresAt = this.#options.clock.now() + leaseMs;
    await this.#write({ ...this.#held, expiresAt }, this.#held);
  }

  /** Stores that the server is stopping. */
  async end(): Promise<void> {
    if (this.#held === undefined || this.#isSuperseded) return;
    await this.#write({ ...this.#held, endedAt: this.#options.clock.now() }, this.#held);
    this.#held = undefined;
  }

  async #beginAfter(found: ServerLease | undefined): Promise<void> {
    const now = this.#options.clock.now();
    const before = found && (endOfLease(found, now) ?? { at: now, reason: "SERVER_LOST" as const });
    const next: ServerLease = {
      epoch: (found?.epoch ?? 0) + 1,
      run: this.#run,
      startedAt: now,
      expiresAt: now + leaseMs,
      ...(before && { before }),
    };
    await this.#write(next, found);
  }

  async #read(): Promise<ServerLease | undefined> {
    const { port, table, server } = this.#options;
    const { Item } = await port.getItem({
      TableName: table,
      Key: leaseKey(server),
      ConsistentRead: true,
    });
    return Item && readLease(Item);
  }

  async #write(lease: ServerLease, stored: ServerLease | undefined): Promise<void> {
    const { port, table, server, isLasting, clock } = this.#options;
    const expiry = Math.floor(clock.now() / 1000) + keptSeconds;
    const item = {
      ...leaseItem(server, lease),
      ...(!isLasting && { [expiryAttribute]: numberAttribute(expiry) }),
    };
    const condition =
      stored === undefined
        ? { ConditionExpression: "attribute_not_exists(PK)" }
        : {
            ConditionExpression: "Epoch = :epoch AND #Run = :run",
            ExpressionAttributeNames: { "#Run": "Run" },
            ExpressionAttributeValues: { ":epoch": numberAttribute(stored.epoch), ":run": { S: stored.run } },
          };
    try {
      await port.putItem({ TableName: table, Item: item, ...condition });
    } catch (error) {
      if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
      // An attempt whose response was lost may be the reason.
      const found = await this.#read();
      this.#isSuperseded = found?.run !== this.#run;
      if (this.#isSuperseded) return;
    }
    this.#held = lease;
  }
}

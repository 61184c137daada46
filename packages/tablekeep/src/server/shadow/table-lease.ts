import { newWriteId } from "@tablekeep/client";
import {
  type Clock,
  type DynamoPort,
  isDynamoError,
  type Key,
  type Logger,
  linkSignals,
  sleep,
} from "@tablekeep/core";

/** A lease in a table, which one process has at a time. */
export interface TableLeaseOptions {
  readonly port: DynamoPort;
  readonly table: string;
  readonly key: Key;
  /** Milliseconds until another process may take over the lease of a killed one. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Does work while this process has the lease, repeatedly until the signal aborts. A lease only saves work: two processes may
 * both have it for a moment if their clocks differ.
 */
export async function whileTableLeased(
  options: TableLeaseOptions,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { clock, leaseMs } = options;
  const lease = new TableLease(options);
  while (!signal.aborted) {
    if (await lease.acquire()) {
      const ended = linkSignals(signal);
      const renewing = lease.renew(ended.signal).finally(() => ended.abort());
      await work(ended.signal).finally(() => ended.abort());
      await renewing;
    } else await sleep(clock, leaseMs / 3, signal, { background: true }).catch(() => undefined);
  }
  await lease.release();
}

class TableLease {
  readonly #options: TableLeaseOptions;
  readonly #owner = newWriteId();
  #until = 0;

  constructor(options: TableLeaseOptions) {
    this.#options = options;
  }

  /** Acquires or renews the lease. Returns false if another process holds it. After an unknown outcome, the lease counts until it expires. */
  async acquire(): Promise<boolean> {
    const { port, table, key, leaseMs, clock, logger } = this.#options;
    const [now, begun] = [clock.now(), clock.monotonic()];
    try {
      await port.putItem({
        TableName: table,
        Item: { ...key, Holder: { S: this.#owner }, Until: { N: String(Math.floor(now + leaseMs)) } },
        ConditionExpression: "attribute_not_exists(PK) OR Holder = :owner OR #until < :now",
        ExpressionAttributeNames: { "#until": "Until" },
        ExpressionAttributeValues: { ":owner": { S: this.#owner }, ":now": { N: String(Math.floor(now)) } },
      });
      this.#until = begun + leaseMs;
      return true;
    } catch (error) {
      if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
      logger.warn("could not renew a lease", { table, error });
      return clock.monotonic() < this.#until;
    }
  }

  /** Renews the lease until it is lost, or the signal aborts. */
  async renew(signal: AbortSignal): Promise<void> {
    const { clock, leaseMs } = this.#options;
    for (;;) {
      await sleep(clock, leaseMs / 3, signal, { background: true }).catch(() => undefined);
      if (signal.aborted || !(await this.acquire())) return;
    }
  }

  async release(): Promise<void> {
    const { port, table, key, logger } = this.#options;
    const condition = {
      ConditionExpression: "Holder = :owner",
      ExpressionAttributeValues: { ":owner": { S: this.#owner } },
    };
    await port.deleteItem({ TableName: table, Key: key, ...condition }).catch((error: unknown) => {
      if (!isDynamoError(error, "ConditionalCheckFailedException"))
        logger.warn("could not release a lease; it will expire", { table, error });
    });
  }
}

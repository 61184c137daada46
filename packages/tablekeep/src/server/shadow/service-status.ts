import { queryItems } from "@tablekeep/client";
import type { Clock, DynamoPort, Logger } from "@tablekeep/core";

/** The status of a background service of shadows, for `tablekeep status`. */
export interface ServiceStatus {
  /** Its name, such as `rules`. */
  readonly service: string;
  /** When this status was stored, in milliseconds since 1970. */
  readonly at: number;
  /** One line each. */
  readonly lines: readonly string[];
}

const partition = "STATUS#services";

/** Milliseconds between two writes of a service. */
const pauseMs = 5_000;

/** Dependencies of a reporter. */
export interface StatusReporterOptions {
  readonly port: DynamoPort;
  readonly table: string;
  readonly service: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Stores the status of a service in the table of the shadows when it has changed, at most every few seconds. */
export class StatusReporter {
  readonly #options: StatusReporterOptions;
  #last = "";
  #notBefore = 0;
  #cancel: (() => void) | undefined;
  #storing: Promise<void> = Promise.resolve();

  constructor(options: StatusReporterOptions) {
    this.#options = options;
  }

  /** Stores the lines that `read` returns, now or a little later. */
  report(read: () => readonly string[]): void {
    if (this.#cancel !== undefined) return;
    const { clock } = this.#options;
    const waitMs = Math.max(0, this.#notBefore - clock.monotonic());
    const store = () => {
      this.#storing = this.#store(read());
    };
    this.#cancel = clock.after(waitMs, store, { background: true });
  }

  async close(): Promise<void> {
    this.#cancel?.();
    await this.#storing;
  }

  /** Never rejects: without the write, the stored status is only out of date. */
  async #store(lines: readonly string[]): Promise<void> {
    const { port, table, service, clock, logger } = this.#options;
    this.#cancel = undefined;
    this.#notBefore = clock.monotonic() + pauseMs;
    const text = JSON.stringify(lines);
    if (text === this.#last) return;
    const item = {
      PK: { S: partition },
      SK: { S: service },
      At: { N: String(Math.floor(clock.now())) },
      Lines: { S: text },
    };
    try {
      await port.putItem({ TableName: table, Item: item });
      this.#last = text;
    } catch (error) {
      logger.warn("could not store the status of a service", { service, error });
    }
  }
}

/** Returns the last status of each service of a table. */
export async function readServiceStatuses(
  port: DynamoPort,
  table: string,
  call: { readonly signal?: AbortSignal } = {},
): Promise<readonly ServiceStatus[]> {
  const found: ServiceStatus[] = [];
  const params = {
    TableName: table,
    KeyConditionExpression: "PK = :services",
    ExpressionAttributeValues: { ":services": { S: partition } },
  };
  for await (const item of queryItems(port, params, call))
    found.push({
      service: item["SK"]?.S ?? "",
      at: Number(item["At"]?.N),
      lines: JSON.parse(item["Lines"]?.S ?? "[]") as string[],
    });
  return found;
}

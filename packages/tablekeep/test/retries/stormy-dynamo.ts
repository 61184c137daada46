import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { httpPort } from "@tablekeep/client";
import { DynamoError, type DynamoPort, silentLogger } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { dynamoDbHandler } from "../../src/server/dynamodb/dynamodb-handler.ts";

/** Returns the rejection of a request; undefined to carry it out. */
export type Storm = (operation: string) => DynamoError | undefined;

/** The embedded engine over HTTP, whose answers a storm replaces. */
export interface StormyDynamo extends AsyncDisposable {
  /** A port without jitter, so that its waits take no time. */
  port(limits?: { readonly maxAttempts?: number; readonly retryBudget?: number }): DynamoPort;
  /** Begins a storm. Returns the list of the requests that it rejects. */
  begin(storm: Storm): readonly string[];
  calm(): void;
}

/** Starts one on loopback. */
export async function stormyDynamo(): Promise<StormyDynamo> {
  const engine = await openEngine({ storage: { kind: "memory" } });
  let storm: Storm = () => undefined;
  let rejections: string[] = [];
  const backend = {
    async execute(operation: string, input: unknown) {
      const rejection = storm(operation);
      if (rejection === undefined) return engine.execute(operation, input);
      rejections.push(operation);
      throw rejection;
    },
  };
  const handle = dynamoDbHandler({ backend, now: () => Date.now(), logger: silentLogger });
  const { signal } = new AbortController();
  const server = createServer((request, response) => void handle(request, response, signal));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const ports: DynamoPort[] = [];
  return {
    port(limits = {}) {
      const port = httpPort({ endpoint, credentials, random: () => 0, ...limits });
      ports.push(port);
      return port;
    },
    begin(next) {
      rejections = [];
      storm = next;
      return rejections;
    },
    calm() {
      storm = () => undefined;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(ports.map((port) => port.close()));
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await engine.close();
    },
  };
}

const rejected = (exception: string, more: object = {}) =>
  new DynamoError({ exception, serviceMessage: "storm", ...more });

/** Rejects every request, for lack of throughput. */
export const throttling: Storm = () => rejected("ThrottlingException");

/** Fails every request; the caller cannot tell whether a write was applied. */
export const serverErrors: Storm = () => rejected("InternalServerError", { httpStatus: 500 });

/** Rejects every write, and every read in a transaction, because of a transaction that never ends. */
export const conflicts: Storm = (operation) => {
  if (operation.startsWith("Transact"))
    return rejected("TransactionCanceledException", {
      cancellationReasons: [{ Code: "TransactionConflict" }],
    });
  return /^(Put|Update|Delete)Item$/.test(operation) ? rejected("TransactionConflictException") : undefined;
};

/** Rejects transactions only: the table that they write to has too little throughput. */
export const throttledTransactions: Storm = (operation) =>
  operation === "TransactWriteItems"
    ? rejected("TransactionCanceledException", { cancellationReasons: [{ Code: "ThrottlingError" }] })
    : undefined;

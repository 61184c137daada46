import { type DynamoPort, type OperationName, tablesOf, wrapPort } from "@tablekeep/core";
import type { ReachedStop, StopPoint } from "./stop-point.ts";

/** A port whose user dies at a given request. */
export interface MortalPort {
  readonly port: DynamoPort;
  /** Resolves at death, once every request that had been sent has landed. */
  readonly died: Promise<ReachedStop>;
  /** How many requests were made before death. */
  requestCount(): number;
}

/**
 * After its death the port passes nothing on and answers nothing: every call, and every answer that was still awaited,
 * stays open for ever. So whatever `catch`, `finally`, retry or timer the user has cannot act on the database any more,
 * as in a process that was killed. Closing it does not close `port`.
 */
export function mortalPort(port: DynamoPort, stop: StopPoint | undefined): MortalPort {
  const underWay = new Set<Promise<unknown>>();
  let count = 0;
  let dead = false;
  let announce: (stop: ReachedStop) => void = () => {};
  const died = new Promise<ReachedStop>((resolve) => {
    announce = resolve;
  });
  const die = async (operation: OperationName, input: object, last?: Promise<unknown>) => {
    dead = true;
    await Promise.allSettled([...underWay, last]);
    if (stop !== undefined) announce({ ...stop, operation, tables: tablesOf(operation, input) });
  };
  const wrapped = wrapPort(port, async (operation, input, options, next) => {
    if (dead) return forEver();
    const last = ++count === stop?.n;
    if (last && stop.variant === "before") {
      void die(operation, input);
      return forEver();
    }
    const answer = next(operation, input, options);
    if (last) {
      void die(operation, input, answer);
      return forEver();
    }
    underWay.add(answer);
    const result = await Promise.allSettled([answer]);
    underWay.delete(answer);
    if (dead) return forEver();
    if (result[0].status === "rejected") throw result[0].reason;
    return result[0].value;
  });
  const close = async () => (dead ? forEver() : undefined);
  return {
    port: { ...wrapped, close, [Symbol.asyncDispose]: close },
    died,
    requestCount: () => count,
  };
}

function forEver(): Promise<never> {
  return new Promise(() => {});
}

import type { Outcome } from "@tablekeep/core";
import type { CallTime } from "../call-options.ts";
import { ownError } from "../store/check-operation.ts";

type Work<Value> = () => Promise<Outcome<Value>>;

/**
 * Runs work of one key one after the other, and that of different keys at the same time. Work whose time is up before its
 * turn comes is rejected then, and never run.
 */
export function inTurn(): <Value>(key: string, time: CallTime, work: Work<Value>) => Promise<Outcome<Value>> {
  const lines = new Map<string, Promise<void>>();
  return (key, time, work) => {
    const before = lines.get(key);
    const own = before === undefined ? work() : time.waitFor(before).then(work, rejected);
    // Who gives up leaves the line; the next one waits for those before all the same.
    const line = Promise.allSettled([before, own]).then(() => {
      if (lines.get(key) === line) lines.delete(key);
    });
    lines.set(key, line);
    return own;
  };
}

function rejected(error: unknown): Outcome<never> {
  return { kind: "rejected", error: ownError(error) };
}

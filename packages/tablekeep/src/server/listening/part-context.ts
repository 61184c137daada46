import { AsyncLocalStorage } from "node:async_hooks";
import type { EventEmitter } from "node:events";

const current = new AsyncLocalStorage<string>();

/** Runs `work`, and everything that it starts, in the context of a part of the server. */
export function runAsPart<Result>(part: string, work: () => Result): Result {
  return current.run(part, work);
}

/** Returns the part of the server on whose behalf the caller runs, even in a handler of `uncaughtException`; undefined if unknown. */
export function currentPart(): string | undefined {
  return current.getStore();
}

/**
 * Runs the event handlers of a connection on behalf of a part. Node emits these events itself, so nothing else
 * connects them with the listener that accepted the connection.
 */
export function attributeEvents(emitter: EventEmitter, part: string): void {
  const emit = emitter.emit.bind(emitter);
  emitter.emit = (...event) => runAsPart(part, () => emit(...event));
}

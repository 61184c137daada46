import {
  buildPort,
  type CallOptions,
  type DynamoPort,
  type OperationName,
  type RetryLimits,
} from "@tablekeep/core";
import {
  detached,
  errorOf,
  type FromThread,
  type LentRetries,
  type ToThread,
} from "../server/entity-folds/fold-messages.ts";

/** A port whose calls are messages to the thread that has the tables. */
export interface MessagePort {
  readonly port: DynamoPort;
  /** Settles the call that an answer belongs to. */
  answer(message: Exclude<ToThread, { readonly kind: "fold" }>): void;
}

interface Waiting {
  readonly resolve: (output: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates a port that sends its calls as messages. */
export function messagePort(send: (message: FromThread) => void): MessagePort {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  const dispatch = (operation: OperationName, input: unknown, options: CallOptions) =>
    new Promise<never>((resolve, reject) => {
      const { signal, deadlineMs, maxAttempts } = options;
      if (signal?.aborted) return reject(signal.reason);
      const call = ++last;
      const onAbort = () => {
        waiting.delete(call);
        reject(signal?.reason);
      };
      const settled = () => {
        waiting.delete(call);
        signal?.removeEventListener("abort", onAbort);
      };
      waiting.set(call, {
        resolve(output) {
          settled();
          resolve(output);
        },
        reject(error) {
          settled();
          reject(error);
        },
      });
      signal?.addEventListener("abort", onAbort, { once: true });
      send({ kind: "call", call, operation, input: detached(input), deadlineMs, maxAttempts });
    });
  return {
    port: buildPort(dispatch, async () => {}),
    answer(message) {
      const call = waiting.get(message.call);
      if (message.kind === "output") call?.resolve(message.output as never);
      else call?.reject(errorOf(message.error));
    },
  };
}

/** Lets operations on top of a port retry within lent limits, which are another thread's. Without any, the port has none. */
export function withLentRetries(
  port: DynamoPort,
  lent: LentRetries | undefined,
): { readonly port: DynamoPort; tokensLeft(): number } {
  if (lent === undefined) return { port, tokensLeft: () => 0 };
  let left = lent.tokens;
  const retryLimits: RetryLimits = {
    maxAttempts: lent.maxAttempts,
    spend(tokens) {
      if (tokens > left) return false;
      left -= tokens;
      return true;
    },
    refund(tokens) {
      left += tokens;
    },
  };
  return { port: { ...port, retryLimits }, tokensLeft: () => left };
}

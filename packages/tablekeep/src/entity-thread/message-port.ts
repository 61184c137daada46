import { buildPort, type DynamoPort, type OperationName } from "@tablekeep/core";
import { detached, errorOf, type FromThread, type ToThread } from "../server/entity-folds/fold-messages.ts";

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
  const dispatch = (operation: OperationName, input: unknown, options: CallLimits) =>
    new Promise<never>((resolve, reject) => {
      const { signal, deadlineMs } = options;
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
      send({ kind: "call", call, operation, input: detached(input), deadlineMs });
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

interface CallLimits {
  readonly signal?: AbortSignal;
  readonly deadlineMs?: number;
}

import { useEffect, useState } from "preact/hooks";
import { ApiError } from "./call-api.ts";

/** A response of the server: pending, available, or failed. */
export type Answer<Value> =
  | { readonly kind: "waiting" }
  | { readonly kind: "ready"; readonly value: Value }
  | { readonly kind: "failed"; readonly error: Error; readonly askAgain: () => void };

/**
 * Sends a request whenever `inputs` change. The previous response stays until the next one arrives, unless `inputs[0]`, the subject of
 * the request, has changed.
 */
export function useAnswer<Value>(
  request: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
): Answer<Value> {
  const [round, setRound] = useState(0);
  const [held, setHeld] = useState<{ about: unknown; answer: Answer<Value> }>();
  useEffect(() => {
    const life = new AbortController();
    const settle = (answer: Answer<Value>) => {
      if (!life.signal.aborted) setHeld({ about: inputs[0], answer });
    };
    request(life.signal).then(
      (value) => settle({ kind: "ready", value }),
      (error: Error) => settle({ kind: "failed", error, askAgain: () => setRound(round + 1) }),
    );
    return () => life.abort();
  }, [...inputs, round]);
  return held !== undefined && held.about === inputs[0] ? held.answer : { kind: "waiting" };
}

/** Whether the server responded that the thing does not exist. */
export function isNotFound(answer: Answer<unknown>): boolean {
  return answer.kind === "failed" && answer.error instanceof ApiError && answer.error.status === 404;
}

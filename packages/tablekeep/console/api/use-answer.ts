import { useEffect, useState } from "preact/hooks";

/** An answer of the server: not there yet, there, or what went wrong instead. */
export type Answer<Value> =
  | { readonly kind: "waiting" }
  | { readonly kind: "ready"; readonly value: Value }
  | { readonly kind: "failed"; readonly error: Error; readonly askAgain: () => void };

/**
 * Sends a request whenever `inputs` change. The answer before stays until the next one is there, unless `inputs[0]`, what is asked
 * about, is another.
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

import { useEffect, useMemo, useState } from "preact/hooks";
import { entityStates } from "./entity-states.ts";
import { type FoldedState, foldStates } from "./fold-states.ts";

/** The states at some sequence numbers: being folded, available, or failed. */
export type States =
  | { readonly kind: "folding"; readonly sequenceNr: number }
  | { readonly kind: "ready"; readonly states: ReadonlyMap<number, FoldedState> }
  | { readonly kind: "failed"; readonly message: string; readonly again: () => void };

export interface StatesInput {
  readonly path: string;
  /** Whether the server rebuilds the states, by the definition of the entity. */
  readonly byEntity: boolean;
  readonly code: string;
  readonly snapshots: readonly number[];
  readonly wanted: readonly number[];
}

/** The states of an id at the wanted numbers. The previous states stay until the next ones are available. */
export function useStates({ path, byEntity, code, snapshots, wanted }: StatesInput): States {
  const starts = snapshots.join(" ");
  const folded = useMemo(
    () => (byEntity ? entityStates(path) : foldStates({ path, code, snapshots })),
    [path, byEntity, code, starts],
  );
  useEffect(() => () => folded.close(), [folded]);
  const [answer, setAnswer] = useState<{ readonly of: unknown; readonly states: States }>();
  const [round, setRound] = useState(0);
  const numbers = wanted.join(" ");
  useEffect(() => {
    const life = new AbortController();
    const show = (states: States) => {
      if (!life.signal.aborted) setAnswer({ of: folded, states });
    };
    folded
      .at(wanted, life.signal, (sequenceNr) => show({ kind: "folding", sequenceNr }))
      .then(
        (states) => show({ kind: "ready", states }),
        (error: Error) => show({ kind: "failed", message: error.message, again: () => setRound(round + 1) }),
      );
    return () => life.abort();
  }, [folded, numbers, round]);
  return answer?.of === folded ? answer.states : { kind: "folding", sequenceNr: 0 };
}

import type { FoldResult } from "../sandbox/fold-events.ts";
import { openSandbox, type Sandbox, SandboxError } from "../sandbox/open-sandbox.ts";
import { fetchEvents, fetchPosition, fetchSnapshot } from "./journal-api.ts";

/** A state at a sequence number; undefined before the first one. */
export interface FoldedState {
  readonly value: unknown;
}

export interface FoldOptions {
  /** The API path of the id. */
  readonly path: string;
  /** The fold as typed. */
  readonly code: string;
  /** The sequence numbers of the snapshots to start from, newest first; none starts from the first event. */
  readonly snapshots: readonly number[];
}

/** States of one id by one fold. */
export interface FoldStates {
  /** The states at these sequence numbers. `onProgress` is called with the number of the last event folded. */
  at(
    wanted: readonly number[],
    signal: AbortSignal,
    onProgress: (sequenceNr: number) => void,
  ): Promise<ReadonlyMap<number, FoldedState>>;
  close(): void;
}

const pageSize = 500;

/** Folds events in a sandbox, from the nearest known state: the first event, a snapshot, or an earlier request. */
export function foldStates({ path, code, snapshots }: FoldOptions): FoldStates {
  let sandbox: Sandbox | undefined;
  let kept: readonly number[] = [];
  const opened = async () => {
    if (sandbox !== undefined && !sandbox.isClosed) return sandbox;
    kept = [];
    sandbox = openSandbox();
    await sandbox.send({ kind: "compile", code });
    return sandbox;
  };
  const keep = async (open: Sandbox, sequenceNr: number, state: unknown) => {
    const result = await open.send<Pick<FoldResult, "kept">>({ kind: "keep", sequenceNr, state });
    kept = numbersOf(result.kept);
  };
  /** The highest sequence number up to `first` whose state is known. If there is none, starts from the beginning. */
  const startFor = async (open: Sandbox, first: number, signal: AbortSignal): Promise<number> => {
    const known = Math.max(...kept.filter((each) => each <= first));
    const snapshot = snapshots.find((each) => each <= first) ?? -1;
    if (known >= 0 && known >= snapshot) return known;
    if (snapshot > 0) {
      const { state, stateForm } = await fetchSnapshot(path, snapshot, signal);
      if (stateForm !== "json")
        throw new SandboxError(`the snapshot at ${snapshot} is not JSON: start from the first event`);
      await keep(open, snapshot, state);
      return snapshot;
    }
    const { lowestSequenceNr } = await fetchPosition(path, signal);
    const start = Math.min(lowestSequenceNr - 1, first);
    await keep(open, start, undefined);
    return start;
  };
  return {
    async at(asked, signal, onProgress) {
      const wanted = [...new Set(asked)].sort((one, other) => one - other);
      const [first = 0, last = 0] = [wanted[0], wanted.at(-1)];
      const open = await opened();
      const states = new Map<number, FoldedState>();
      for (let after = await startFor(open, first, signal); ; ) {
        const limit = Math.min(pageSize, last - after);
        // Without an upper bound: it would leave out an atomic write that extends beyond it.
        const page = limit < 1 ? { events: [] } : await fetchEvents(path, { from: after + 1, limit, signal });
        const events = page.events.filter(({ sequenceNr }) => sequenceNr <= last);
        const isLast = page.next === undefined || page.next > last;
        const result = await open.send<FoldResult>({ kind: "fold", after, events, wanted, isLast });
        signal.throwIfAborted();
        kept = numbersOf(result.kept);
        for (const [sequenceNr, text] of Object.entries(result.states ?? {}))
          states.set(Number(sequenceNr), { value: typeof text === "string" ? JSON.parse(text) : undefined });
        if (isLast) return states;
        after = events.at(-1)?.sequenceNr ?? last;
        onProgress(after);
      }
    },
    close: () => sandbox?.close(),
  };
}

/** The sandbox runs untrusted code, so its output may be anything. */
function numbersOf(given: unknown): readonly number[] {
  return Array.isArray(given) ? given.filter((each) => Number.isSafeInteger(each)) : [];
}

/** Maximum turns of the event loop that a message waits for others. Measured: docs/explanation/mail-layouts.md. */
const maxTurns = 40;

/**
 * Commits small messages that end at about the same time together: one flush of the disk then serves all of them.
 * Clients that are answered together continue together, so their next messages also end together.
 */
export interface CommitBatcher {
  /** Registers a message in flight. Returns a function that stops others from waiting for it; further calls do nothing. */
  begin(): () => void;
  /** Resolves once no other message is in flight, or after a short wait. */
  waitForOthers(): Promise<void>;
}

export function commitBatcher(): CommitBatcher {
  let inFlight = 0;
  let waiting: (() => void)[] = [];
  let turns = 0;
  const leave = () => {
    const leaving = waiting;
    waiting = [];
    for (const go of leaving) go();
  };
  const nextTurn = () => {
    if (waiting.length === 0) return;
    if (++turns >= maxTurns) leave();
    else setImmediate(nextTurn);
  };
  return {
    begin() {
      let counted = true;
      inFlight++;
      return () => {
        if (!counted) return;
        counted = false;
        if (--inFlight === 0) leave();
      };
    },
    async waitForOthers() {
      if (inFlight === 0) {
        leave();
        return;
      }
      await new Promise<void>((resolve) => {
        if (waiting.push(resolve) > 1) return;
        turns = 0;
        setImmediate(nextTurn);
      });
    },
  };
}

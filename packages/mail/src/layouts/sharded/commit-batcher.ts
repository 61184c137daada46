/** Turns of the event loop that a message waits for others at most. */
const maxTurns = 40;

/**
 * Lets small messages that end at about the same time leave together: one flush of the disk then serves all of them.
 * Clients that were answered together go on together, so that they stay so.
 */
export interface CommitBatcher {
  /** A message begins. Gives the function that tells that it will not leave with others; more calls do nothing. */
  begin(): () => void;
  /** Resolves once no other message is about to end, or soon after. */
  together(): Promise<void>;
}

export function commitBatcher(): CommitBatcher {
  let underWay = 0;
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
      underWay++;
      return () => {
        if (!counted) return;
        counted = false;
        if (--underWay === 0) leave();
      };
    },
    async together() {
      if (underWay === 0) {
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

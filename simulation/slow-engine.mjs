import { wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";

/** How long a transaction takes, in milliseconds. No other timer has such a length. */
const transactionTimes = [0, 30.25, 300.25];

/**
 * An engine in memory whose transactions may take a while, by a fake clock: their items become visible one by one, in any
 * order. `busy` says whether it is at work, so that time stands still, but not while it lets a transaction take its time.
 */
export async function openSlowEngine(clock, seed, random) {
  const transactionMs = random.pick(transactionTimes);
  const transactions = countingTimers(clock, transactionMs);
  const behavior = { transactionMs, transactionOrder: "any", seed };
  const engine = await openEngine({ storage: { kind: "memory" }, clock: transactions.clock, behavior });
  let underWay = 0;
  const port = wrapPort(engine, async (operation, input, call, next) => {
    underWay++;
    try {
      return await next(operation, input, call);
    } finally {
      underWay--;
    }
  });
  return { port, transactionMs, busy: () => underWay > transactions.waiting() };
}

/** The clock, and how many timers of this length wait. */
function countingTimers(clock, length) {
  const waiting = new Set();
  const after = (ms, callback) => {
    if (ms !== length) return clock.after(ms, callback);
    const timer = {};
    waiting.add(timer);
    const cancel = clock.after(ms, () => {
      waiting.delete(timer);
      callback();
    });
    return () => {
      waiting.delete(timer);
      cancel();
    };
  };
  return { clock: { ...clock, after }, waiting: () => waiting.size };
}

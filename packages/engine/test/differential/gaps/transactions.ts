import type { Gap } from "./gap.ts";
import { meansTheSame } from "./other-words.ts";
import { reasonsOf, refusalGap } from "./refusals.ts";

/** Local ends one message of a failed check with a full stop. */
export const fullStop: Gap = refusalGap(
  "ends the reason of a failed check with a full stop",
  "AWS: API_TransactWriteItems, CancellationReasons",
  (local) => {
    const dotted = "The conditional request failed.";
    const reasons = reasonsOf(local);
    if (!reasons.some(({ Message }) => Message === dotted)) return local;
    const mended = reasons.map((reason) =>
      reason.Message === dotted ? { ...reason, Message: dotted.slice(0, -1) } : reason,
    );
    return { ...local, reasons: mended };
  },
);

/** What is wrong with one action is reported for the whole request, or without the reasons. */
export const plainRefusal: Gap = refusalGap(
  "refuses a transaction of one action instead of cancelling it",
  "public conformance suites: what only keys and items show is the reason ValidationError of that action",
  (local, engine) => {
    const [reason, ...others] = reasonsOf(engine);
    const { exception, message } = engine;
    if (exception !== "TransactionCanceledException" || reasonsOf(local).length > 0 || others.length > 0)
      return local;
    const listed = message === `${cancelled} [${reason?.Code}]` && reason?.Code === "ValidationError";
    return listed && meansTheSame(local.message, reason.Message ?? "") ? engine : local;
  },
);

const cancelled = "Transaction cancelled, please refer cancellation reasons for specific reasons";

import type { Gap } from "./gap.ts";
import { meansTheSame } from "./other-words.ts";
import { reasonsOf, refusalGap } from "./refusals.ts";

const cancelled = "TransactionCanceledException";
const itemFault =
  /^(The document path provided|The provided expression refers to|An operand in the update|Number (over|under)flow|Attempting to store|DynamoDB only supports)/;

/** What is wrong with one action is told of the whole request, or without the reasons. */
export const plainRefusal: Gap = refusalGap(
  "refuses a transaction instead of cancelling it",
  "conformance suites run against AWS: what only keys and items show is the reason ValidationError of that action",
  (local, engine) => {
    if (engine.exception !== cancelled || reasonsOf(local).length > 0) return local;
    const told = reasonsOf(engine).some(
      ({ Code, Message = "" }) =>
        Code === "ValidationError" &&
        (meansTheSame(local.message, Message) || (itemFault.test(local.message) && itemFault.test(Message))),
    );
    return told ? engine : local;
  },
);

/** The reasons of some actions are left out where another is refused before it is tried. */
export const fewerReasons: Gap = refusalGap(
  "gives fewer reasons than a transaction has actions",
  "AWS: API_TransactWriteItems — one reason for each action, in their order",
  (local, engine) => {
    const [theirs, ours] = [reasonsOf(local), reasonsOf(engine)];
    if (engine.exception !== cancelled || theirs.length === 0 || theirs.length >= ours.length) return local;
    const known = theirs.every(({ Code, Message = "" }) =>
      ours.some((own) => own.Code === Code && meansTheSame(Message, own.Message ?? "")),
    );
    return known ? engine : local;
  },
);

/** An update is tried before the conditions of other actions, and of its own, are looked at. */
export const updateBeforeConditions: Gap = refusalGap(
  "tries the updates of a transaction before its conditions",
  "conformance suites run against AWS: every action is looked at, and each has its reason",
  (local, engine) => {
    const others = reasonsOf(engine).some(({ Code }) => Code !== "None");
    return engine.exception === cancelled && others && itemFault.test(local.message) ? engine : local;
  },
);

/** Of one action that has both, a failed condition is told and not what is wrong with its keys. */
export const conditionFirst: Gap = refusalGap(
  "looks at the condition of an action before its keys",
  "conformance suites run against AWS: what the keys show is the reason, whatever the item is",
  (local, engine) => {
    const [theirs, ours] = [reasonsOf(local), reasonsOf(engine)];
    if (theirs.length !== ours.length || engine.exception !== cancelled) return local;
    const explained = theirs.every(({ Code }, at) => {
      const own = ours[at]?.Code;
      return Code === own || (Code === "ConditionalCheckFailed" && own === "ValidationError");
    });
    return explained && theirs.some(({ Code }, at) => Code !== ours[at]?.Code) ? engine : local;
  },
);

/** Where the condition of another action fails, an index key of another type goes unnoticed. */
export const untriedIndexKeys: Gap = refusalGap(
  "does not look at index keys in a transaction whose conditions fail",
  "conformance suites run against AWS: every action is looked at, and each has its reason",
  (local, engine) => {
    const [theirs, ours] = [reasonsOf(local), reasonsOf(engine)];
    if (theirs.length !== ours.length || engine.exception !== cancelled) return local;
    const explained = theirs.every(({ Code }, at) => {
      const { Code: own, Message = "" } = ours[at] ?? {};
      return (
        Code === own ||
        (Code === "None" &&
          /^One or more parameter values were invalid: Type mismatch for Index Key /.test(Message))
      );
    });
    return explained && theirs.some(({ Code }) => Code === "ConditionalCheckFailed") ? engine : local;
  },
);

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

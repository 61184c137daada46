import type { Outcome, Refusal } from "../run/outcome.ts";
import { faultStage } from "./fault-stage.ts";
import type { Gap } from "./gap.ts";
import { inDynamosWords } from "./other-words.ts";

/** A gap that shows in refusals: `mend` gets Local's and the engine's, and gives the same or another. */
function refusalGap(name: string, source: string, mend: (local: Refusal, engine: Refusal) => Refusal): Gap {
  return {
    name,
    source,
    mend({ engine, local }): Outcome {
      if (engine.kind !== "refused" || local.kind !== "refused") return local;
      const refusal = mend(local.refusal, engine.refusal);
      return refusal === local.refusal ? local : { kind: "refused", refusal };
    },
  };
}

export const otherWording: Gap = refusalGap(
  "refuses in other words",
  "listed word by word in other-words.ts",
  (local, engine) => {
    const message = inDynamosWords(local.message, engine.message);
    return message === local.message ? local : { ...local, message };
  },
);

/** Local breaks on requests that DynamoDB refuses. */
export const brokenByRequest: Gap = refusalGap(
  "answers 500 to a malformed request",
  "conformance suites run against AWS: a malformed request is a SerializationException or ValidationException, status 400",
  (local, engine) => (local.status >= 500 && engine.status === 400 ? engine : local),
);

/** Of several faults Local tells one that DynamoDB looks for later. */
export const otherOrder: Gap = refusalGap(
  "looks for faults in another order",
  "conformance suites run against AWS: syntax before tables, tables before keys, keys before items",
  (local, engine) => {
    const [own, theirs] = [faultStage(engine.message), faultStage(local.message)];
    return own !== undefined && theirs !== undefined && own < theirs ? engine : local;
  },
);

/** Local ends one message of a failed check with a full stop. */
export const fullStop: Gap = refusalGap(
  "ends the reason of a failed check with a full stop",
  "AWS: API_TransactWriteItems, CancellationReasons",
  (local) => {
    const reasons = local.reasons as readonly { Message?: string }[] | undefined;
    if (!reasons?.some(({ Message }) => Message === "The conditional request failed.")) return local;
    const mended = reasons.map((reason) =>
      reason.Message === "The conditional request failed."
        ? { ...reason, Message: "The conditional request failed" }
        : reason,
    );
    return { ...local, reasons: mended };
  },
);

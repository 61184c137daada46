import type { CancellationReason } from "@tablekeep/core";
import type { Outcome, Refusal } from "../run/outcome.ts";
import { faultStage } from "./fault-stage.ts";
import type { Gap, Met } from "./gap.ts";
import { meansTheSame } from "./other-words.ts";

/** A gap that shows in refusals: `mend` gets Local's and the engine's, and gives the same or another. */
export function refusalGap(
  name: string,
  source: string,
  mend: (local: Refusal, engine: Refusal, met: Met) => Refusal,
): Gap {
  return {
    name,
    source,
    mend(met): Outcome {
      const { engine, local } = met;
      if (engine.kind !== "refused" || local.kind !== "refused") return local;
      const refusal = mend(local.refusal, engine.refusal, met);
      return refusal === local.refusal ? local : { kind: "refused", refusal };
    },
  };
}

export const otherWording: Gap = refusalGap(
  "refuses in other words",
  "listed word by word in other-words.ts",
  (local, engine) => {
    if (local.exception !== engine.exception || !meansTheSame(local.message, engine.message)) return local;
    const [theirs, ours] = [reasonsOf(local), reasonsOf(engine)];
    const reasons = theirs.map((reason, at) => {
      const words = ours[at]?.Message ?? "";
      return meansTheSame(reason.Message ?? "", words) && words !== ""
        ? { ...reason, Message: words }
        : reason;
    });
    return { ...local, message: engine.message, ...(local.reasons && { reasons }) };
  },
);

/** Why each action of a transaction was cancelled, as far as it is told. */
export function reasonsOf(refusal: Refusal): readonly CancellationReason[] {
  return (refusal.reasons ?? []) as readonly CancellationReason[];
}

/** Local breaks on requests that DynamoDB refuses. */
export const brokenByRequest: Gap = refusalGap(
  "answers 500 to a malformed request",
  "conformance suites run against AWS: a malformed request is a SerializationException or ValidationException, status 400",
  (local, engine) => (local.status >= 500 && engine.status === 400 ? engine : local),
);

/** Of several faults Local tells one that DynamoDB looks for later. */
export const otherOrder: Gap = refusalGap(
  "looks for faults in another order",
  "the stages of fault-stage.ts, after suites run against AWS",
  (local, engine) => {
    const [own, theirs] = [faultStage(engine.message), faultStage(local.message)];
    return own !== undefined && theirs !== undefined && own < theirs ? engine : local;
  },
);

/** What JSON may not hold or a parameter may not be is let through, or read as something else. */
export const uncheckedRequest: Gap = {
  name: "does not check the types and limits of a request",
  source:
    "dynalite's suite, run against AWS: SerializationException, and the constraints of each member, come first",
  mend: ({ step, engine, local }) => {
    if (step.malformed !== true || engine.kind !== "refused") return local;
    const { exception, message } = engine.refusal;
    const checked =
      exception === "SerializationException" || /^\d+ validation errors? detected: /.test(message);
    return checked ? engine : local;
  },
};

/** An index key that an update computes is not looked at. */
export const computedIndexKey: Gap = {
  name: "accepts an index key of another type that is computed",
  source:
    "conformance suites run against AWS: an index key of another type is refused however it comes about",
  mend: ({ engine, local }) => {
    if (engine.kind !== "refused" || local.kind !== "answers") return local;
    const messages = [
      engine.refusal.message,
      ...reasonsOf(engine.refusal).map(({ Message = "" }) => Message),
    ];
    const wrongType = /secondary index key to unsupported type$|: Type mismatch for Index Key /;
    return messages.some((each) => wrongType.test(each)) ? engine : local;
  },
};

/** Numbers of the same value, written in two ways, are taken for two keys. */
export const keysAsWritten: Gap = {
  name: "compares the keys of a batch as they are written",
  source: "conformance suites run against AWS: keys are the same by value",
  mend: ({ step: { operation }, engine, local }) => {
    const duplicate = engine.kind === "refused" && /contains duplicates$/.test(engine.refusal.message);
    return operation === "BatchGetItem" && duplicate && local.kind === "answers" ? engine : local;
  },
};

/** A query for a partition key that is too long finds nothing. */
export const longPartitionKey: Gap = {
  name: "accepts a partition key of more than 2,048 bytes in a query",
  source: "conformance suites run against AWS: the limit of 2,048 bytes holds for queries too",
  mend: ({ step: { operation }, engine, local }) => {
    const refused = engine.kind === "refused" && /Size of hashkey has exceeded/.test(engine.refusal.message);
    return operation === "Query" && refused && local.kind === "answers" ? engine : local;
  },
};

/** Names of one or two characters are taken for tables that do not exist. */
export const shortNames: Gap = refusalGap(
  "refuses short names of tables",
  "conformance suites run against AWS: three characters at least only where a table is created",
  (local, engine) =>
    engine.exception === "ResourceNotFoundException" && local.message.startsWith("Invalid table/index name")
      ? engine
      : local,
);

/** Placeholders without any expression are let through where the map is empty or the operation has nothing to check. */
export const emptyPlaceholders: Gap = {
  name: "accepts an empty map of placeholders without an expression",
  source: "dynalite's suite, run against AWS: placeholders can only be specified when using expressions",
  mend: ({ step: { input }, engine, local }) => {
    const empty = ["ExpressionAttributeNames", "ExpressionAttributeValues"].some(
      (name) => typeof input[name] === "object" && Object.keys(input[name] ?? {}).length === 0,
    );
    const refused =
      engine.kind === "refused" &&
      engine.refusal.message.includes("can only be specified when using expressions");
    return empty && refused ? engine : local;
  },
};

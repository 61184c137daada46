import type { CancellationReason, Item } from "@tablekeep/core";
import { normalText } from "../run/comparable.ts";
import type { Outcome, Rejection } from "../run/outcome.ts";
import type { Step } from "../step.ts";
import type { Gap, StepOutcomes } from "./gap.ts";
import { isEquivalentMessage } from "./messages.ts";
import { inNormalForm } from "./numbers.ts";

/** A gap in rejections: `correct` receives Local's and the engine's, and returns the same or a corrected one. */
function rejectionGap(
  name: string,
  source: string,
  correct: (local: Rejection, engine: Rejection, met: StepOutcomes) => Rejection,
): Gap {
  return {
    name,
    source,
    correct(met): Outcome {
      const { engine, local } = met;
      if (engine.kind !== "rejected" || local.kind !== "rejected") return local;
      const rejection = correct(local.rejection, engine.rejection, met);
      return rejection === local.rejection ? local : { kind: "rejected", rejection };
    },
  };
}

export const otherWording: Gap = rejectionGap(
  "rejects with another message",
  "listed in messages.ts",
  (local, engine) => {
    if (local.exception !== engine.exception || !isEquivalentMessage(local.message, engine.message))
      return local;
    const [theirs, ours] = [reasonsOf(local), reasonsOf(engine)];
    const reasons = theirs.map((reason, at) => {
      const words = ours[at]?.Message ?? "";
      return isEquivalentMessage(reason.Message ?? "", words) && words !== ""
        ? { ...reason, Message: words }
        : reason;
    });
    return { ...local, message: engine.message, ...(local.reasons && { reasons }) };
  },
);

/** Returns why each action of a transaction was cancelled, as far as it is reported. */
function reasonsOf(rejection: Rejection): readonly CancellationReason[] {
  return (rejection.reasons ?? []) as readonly CancellationReason[];
}

/** Local accepts invalid JSON or parameters, reads them as something else, or answers with status 500. */
export const uncheckedRequest: Gap = {
  name: "does not check the types and limits of a request",
  source:
    "dynalite's suite, run against AWS: SerializationException, and the constraints of each member, come first",
  correct: ({ step, engine, local }) => {
    if (step.planted === undefined || engine.kind !== "rejected") return local;
    const broke = local.kind === "rejected" && local.rejection.status >= 500;
    return isAbout(engine.rejection, step) || (broke && mentions(engine.rejection, step)) ? engine : local;
  },
};

/** Returns whether a rejection names the planted member, one above it, or a member of the planted value. */
function mentions({ message, status }: Rejection, { planted, input }: Step): boolean {
  const place = planted?.place ?? [];
  const value = place.reduce<unknown>((each, part) => (each as Members | undefined)?.[part], input);
  const members = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const names = [...place.filter((part) => typeof part === "string"), ...members];
  return status === 400 && names.some((name) => message.toLowerCase().includes(String(name).toLowerCase()));
}

/** Returns whether a rejection is about the value that the test planted: it names its member, or its JSON type. */
function isAbout({ exception, message, status }: Rejection, { planted, input }: Step): boolean {
  const place = planted?.place ?? [];
  if (status !== 400) return false;
  const named = [...message.matchAll(/ at '([^']+)' failed to satisfy constraint/g)].map(
    ([, path = ""]) => path,
  );
  if (/Failed to satisfy .+\[ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE\]$/.test(message))
    return place.includes("ReturnValues");
  if (/Failed to satisfy .+\[ALL, OR\]$/.test(message)) return place.includes("ConditionalOperator");
  if (/^\d+ validation errors? detected: /.test(message))
    return named.length > 0 && named.every((path) => namesMember(path, place));
  if (exception !== "SerializationException") return false;
  const value = place.reduce<unknown>((each, part) => (each as Members | undefined)?.[part], input);
  return jsonTypes(value).some((type) => type.test(message));
}

type Members = Readonly<Record<string | number, unknown>>;

/** Returns whether the path of a validation error leads to the planted member, through it, or ends above it. */
function namesMember(path: string, place: readonly (string | number)[]): boolean {
  const parts = path.toLowerCase().split(".");
  return place.some((part) => typeof part === "string" && parts.includes(part.toLowerCase()));
}

/** Returns DynamoDB's messages for a JSON value of the wrong type. */
function jsonTypes(value: unknown): RegExp[] {
  if (Array.isArray(value))
    return [/^Unrecognized collection type/, /^Start of list/, /list/i, ...value.flatMap(jsonTypes)];
  switch (typeof value) {
    case "number":
      return [
        /^(NUMBER|DECIMAL)_VALUE|^class java\.lang\.(Double|Integer|Float|Short|Long|Byte)|^Unexpected/,
      ];
    case "boolean":
      return [/^(TRUE|FALSE)_VALUE|^Unexpected/];
    case "string":
      return [/^STRING_VALUE|^Unexpected|^Base64|converted to/];
    case "object":
      return [
        /^Start of structure|^Unexpected/,
        ...(value === null ? [/null/i] : Object.values(value).flatMap(jsonTypes)),
      ];
    default:
      return [];
  }
}

/** Local fails on key conditions with operators that are not allowed for keys. */
export const brokenByKeyCondition: Gap = rejectionGap(
  "answers 500 to a legacy key condition with an operator for filters",
  "AWS: API_Query, KeyConditions — EQ, LE, LT, GE, GT, BEGINS_WITH and BETWEEN are supported",
  (local, engine, { step: { input } }) => {
    const conditions = Object.values((input["KeyConditions"] ?? {}) as Record<string, Members | null>);
    const filters = conditions.some((condition) =>
      /^(NE|IN|CONTAINS|NOT_CONTAINS|NULL|NOT_NULL)$/.test(String(condition?.["ComparisonOperator"])),
    );
    const rejected = engine.message === "Attempted conditional constraint is not an indexable operation";
    return filters && rejected && local.status >= 500 && engine.status === 400 ? engine : local;
  },
);

/** Local does not check an index key that an update computes. */
export const computedIndexKey: Gap = {
  name: "accepts an index key of another type that is computed",
  source: "public conformance suites: an index key of another type is rejected however it comes about",
  correct: ({ engine, local, step }) => {
    // A put or a plain value shows its type; only SET with an operand, ADD and if_not_exists compute one.
    if (engine.kind !== "rejected" || local.kind !== "answers" || !/Update/.test(shownText(step)))
      return local;
    const messages = [
      engine.rejection.message,
      ...reasonsOf(engine.rejection).map(({ Message = "" }) => Message),
    ];
    const wrongType = /secondary index key to unsupported type$|: Type mismatch for Index Key /;
    return messages.some((each) => wrongType.test(each)) ? engine : local;
  },
};

function shownText({ operation, input }: Step): string {
  return `${operation} ${JSON.stringify(input)}`;
}

/** Local treats numbers of equal value, written in two ways, as two keys. */
export const keysAsWritten: Gap = {
  name: "compares the keys of a batch as they are written",
  source: "public conformance suites: keys are the same by value",
  correct: ({ step: { operation, input }, engine, local }) => {
    const duplicate = engine.kind === "rejected" && /contains duplicates$/.test(engine.rejection.message);
    if (operation !== "BatchGetItem" || !duplicate || local.kind !== "answers") return local;
    const requests = Object.values(input["RequestItems"] as Record<string, { Keys: readonly Item[] }>);
    const repeated = requests.some(({ Keys }) => {
      const distinct = (keys: readonly unknown[]) => new Set(keys.map(normalText)).size;
      return distinct(Keys) === Keys.length && distinct(Keys.map(inNormalForm)) < Keys.length;
    });
    return repeated ? engine : local;
  },
};

/** In Local, a query for a partition key that is too long finds nothing. */
export const longPartitionKey: Gap = {
  name: "accepts a partition key of more than 2,048 bytes in a query",
  source: "public conformance suites: the limit of 2,048 bytes holds for queries too",
  correct: ({ step: { operation, input }, engine, local }) => {
    const rejected =
      engine.kind === "rejected" && /Size of hashkey has exceeded/.test(engine.rejection.message);
    const long = /"[^"]{2049,}"/.test(JSON.stringify(input));
    return operation === "Query" && long && rejected && local.kind === "answers" ? engine : local;
  },
};

/** Local restarts a query that reads one item by its whole key if the item does not exist. */
export const restartsAtAbsentItem: Gap = {
  name: "restarts a query of one absent item",
  source:
    "the port suite: a query of a table without a sort key cannot be restarted; Local checks this for items that exist",
  correct: ({ step: { operation, input }, engine, local }) => {
    const rejected =
      engine.kind === "rejected" &&
      /can return at most one row and cannot be restarted$/.test(engine.rejection.message);
    const isRestart = operation === "Query" && input["ExclusiveStartKey"] !== undefined;
    const isEmpty =
      local.kind === "answers" && local.answers.every(({ Items }) => [Items ?? []].flat().length === 0);
    return isRestart && rejected && isEmpty ? engine : local;
  },
};

/** Local treats names of one or two characters as tables that do not exist. */
export const shortNames: Gap = rejectionGap(
  "rejects short names of tables",
  "public conformance suites: three characters at least only where a table is created",
  (local, engine, { step: { input } }) => {
    const short = /"(TableName|IndexName)":".{1,2}"|"RequestItems":\{".{1,2}":/.test(JSON.stringify(input));
    const absent = engine.exception === "ResourceNotFoundException";
    return short && absent && local.message.startsWith("Invalid table/index name") ? engine : local;
  },
);

/** Local accepts placeholders without any expression if the map is empty or the operation has nothing to check. */
export const emptyPlaceholders: Gap = {
  name: "accepts an empty map of placeholders without an expression",
  source: "dynalite's suite, run against AWS: placeholders can only be specified when using expressions",
  correct: ({ step: { input }, engine, local }) => {
    const empty = ["ExpressionAttributeNames", "ExpressionAttributeValues"].some(
      (name) => typeof input[name] === "object" && Object.keys(input[name] ?? {}).length === 0,
    );
    const rejected =
      engine.kind === "rejected" &&
      engine.rejection.message.includes("can only be specified when using expressions");
    return empty && rejected ? engine : local;
  },
};

/** Local ends one message of a failed check with a full stop. */
export const fullStop: Gap = rejectionGap(
  "ends the reason of a failed check with a full stop",
  "AWS: API_TransactWriteItems, CancellationReasons",
  (local) => {
    const dotted = "The conditional request failed.";
    const reasons = reasonsOf(local);
    if (!reasons.some(({ Message }) => Message === dotted)) return local;
    const corrected = reasons.map((reason) =>
      reason.Message === dotted ? { ...reason, Message: dotted.slice(0, -1) } : reason,
    );
    return { ...local, reasons: corrected };
  },
);

/** Local reports a fault of one action for the whole request, or without the reasons. */
export const plainRejection: Gap = rejectionGap(
  "rejects a transaction of one action instead of cancelling it",
  "public conformance suites: what only keys and items show is the reason ValidationError of that action",
  (local, engine) => {
    const [reason, ...others] = reasonsOf(engine);
    const { exception, message } = engine;
    if (exception !== "TransactionCanceledException" || reasonsOf(local).length > 0 || others.length > 0)
      return local;
    const listed = message === `${cancelled} [${reason?.Code}]` && reason?.Code === "ValidationError";
    return listed && isEquivalentMessage(local.message, reason.Message ?? "") ? engine : local;
  },
);

const cancelled = "Transaction cancelled, please refer cancellation reasons for specific reasons";

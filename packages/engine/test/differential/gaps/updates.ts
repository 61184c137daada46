import type { AttributeValue, Item } from "@tablekeep/core";
import { normalText } from "../run/normal.ts";
import { answerGap } from "./answer-gap.ts";
import type { Gap, Met } from "./gap.ts";
import { inNormalForm } from "./numbers.ts";

/** Local gives whole attributes where an update changes a part; DynamoDB gives that part, in its place. */
export const wholeAttributes: Gap = answerGap(
  "UPDATED_OLD and UPDATED_NEW give whole attributes",
  "conformance suites run against AWS: only the parts that the update names come back",
  (answer, engine, { step: { operation, input } }) => {
    const asked = input["ReturnValues"];
    if (operation !== "UpdateItem" || (asked !== "UPDATED_OLD" && asked !== "UPDATED_NEW")) return answer;
    const whole = answer["Attributes"] as Item | undefined;
    const parts = (engine["Attributes"] ?? {}) as Item;
    if (whole === undefined || normalText(whole) === normalText(parts)) return answer;
    if (!/[.[]/.test(String(input["UpdateExpression"])) || !isPartOfMap(parts, whole)) return answer;
    return { ...answer, Attributes: engine["Attributes"] };
  },
);

function isPart(part: AttributeValue, whole: AttributeValue | undefined): boolean {
  if (whole === undefined) return false;
  if (part.M !== undefined && whole.M !== undefined) return isPartOfMap(part.M, whole.M);
  if (part.L !== undefined && whole.L !== undefined) return isPartOfList(part.L, whole.L);
  return normalText(part) === normalText(whole);
}

function isPartOfMap(part: Item, whole: Item): boolean {
  return Object.entries(part).every(([name, value]) => isPart(value, whole[name]));
}

/** The elements of the part are some of the whole, in their order. */
function isPartOfList(part: readonly AttributeValue[], whole: readonly AttributeValue[]): boolean {
  let at = 0;
  for (const element of whole) {
    const next = part[at];
    if (next !== undefined && isPart(next, element)) at++;
  }
  return at === part.length;
}

/** An update that only takes away, of an item that is not there, creates it in Local, with its key alone. */
export const keyAlone: Gap = answerGap(
  "REMOVE and DELETE create an item of the key alone",
  "conformance suites run against AWS: an update that only removes creates nothing",
  (answer, engine, met) => {
    const { Attributes, ...other } = answer;
    const rest = { ...other, ConsumedCapacity: engine["ConsumedCapacity"] };
    if (!onlyTakesAway(met) || engine["Attributes"] !== undefined) return answer;
    if (Attributes === undefined) return isLongKey(met.step.input["Key"]) ? rest : answer;
    const key = inNormalForm(met.step.input["Key"]);
    return normalText(inNormalForm(Attributes)) === normalText(key) ? rest : answer;
  },
);

/** Whether a key alone costs more than one unit to store. */
function isLongKey(key: unknown): boolean {
  return JSON.stringify(key).length > 1000;
}

/** Whether a step is an update with nothing but REMOVE and DELETE in it, or a transaction with such an update. */
export function onlyTakesAway({ step: { operation, input } }: Pick<Met, "step">): boolean {
  if (operation === "TransactWriteItems") {
    const actions = membersOf(input["TransactItems"]);
    return actions.some((action) => onlyRemoves(member(member(action, "Update"), "UpdateExpression")));
  }
  if (operation !== "UpdateItem") return false;
  const updates = input["AttributeUpdates"];
  if (updates === undefined) return onlyRemoves(input["UpdateExpression"]);
  return membersOf(updates).every((update) => member(update, "Action") === "DELETE");
}

/** A member of something that a broken request may have anything in place of. */
function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function membersOf(value: unknown): unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}

function onlyRemoves(expression: unknown): boolean {
  const text = String(expression);
  return /^(REMOVE|DELETE) /.test(text) && !/ (SET|ADD) /.test(text);
}

/** An older update whose action is left out, which stands for PUT, is not done. */
export const missingAction: Gap = {
  name: "ignores an update without an action",
  source: "AWS: API_AttributeValueUpdate, Action — PUT is the default",
  mend: ({ step: { input }, engine, local }) => {
    const leftOut = membersOf(input["AttributeUpdates"]).some(
      (update) => member(update, "Action") === undefined,
    );
    return leftOut && local.kind === "answers" ? engine : local;
  },
};

/** What stands for an attribute that is there need not be. */
export const eagerAlternative: Gap = {
  name: "evaluates the second operand of if_not_exists where the first is there",
  source:
    "AWS docs: update expressions, if_not_exists — it evaluates to its second operand only without the first",
  mend: ({ step: { input }, engine, local }) => {
    const refused =
      local.kind === "refused" && /^The provided expression refers to/.test(local.refusal.message);
    const alternative = /if_not_exists\([^,]+, [^:]/.test(JSON.stringify(input));
    return refused && alternative && engine.kind === "answers" ? engine : local;
  },
};

/** A path that leads nowhere is no fault where there is no item at all. */
export const pathOfAbsentItem: Gap = {
  name: "REMOVE of a nested path of an absent item is refused",
  source: "ScyllaDB's Alternator tests, run against AWS: test_nested_attribute_remove_from_missing_item",
  mend: (met) => {
    const { engine, local } = met;
    const refused =
      local.kind === "refused" && local.refusal.message.startsWith("The document path provided");
    return refused && engine.kind === "answers" && onlyTakesAway(met) && isBlank(engine.answers[0])
      ? engine
      : local;
  },
};

function isBlank(answer: Readonly<Record<string, unknown>> | undefined): boolean {
  return answer !== undefined && answer["Attributes"] === undefined;
}

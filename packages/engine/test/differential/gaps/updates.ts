import type { AttributeValue, Item } from "@tablekeep/core";
import { normalText } from "../run/normal.ts";
import { answerGap } from "./answer-gap.ts";
import type { Gap, Met } from "./gap.ts";

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
    const { Attributes, ...rest } = answer;
    if (!onlyTakesAway(met) || engine["Attributes"] !== undefined || Attributes === undefined) return answer;
    return normalText(Attributes) === normalText(met.step.input["Key"]) ? rest : answer;
  },
);

/** Whether a step is an update with nothing but REMOVE and DELETE in it. */
export function onlyTakesAway({ step: { operation, input } }: Pick<Met, "step">): boolean {
  if (operation !== "UpdateItem") return false;
  const updates = input["AttributeUpdates"] as Record<string, { Action?: string }> | undefined;
  if (updates !== undefined) return Object.values(updates).every(({ Action }) => Action === "DELETE");
  return (
    /^(REMOVE|DELETE) /.test(String(input["UpdateExpression"])) &&
    !/ (SET|ADD) /.test(String(input["UpdateExpression"]))
  );
}

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

import type { AttributeValue, Item } from "@tablekeep/core";
import { normalText } from "../run/comparable.ts";
import type { Gap, StepOutcomes } from "./gap.ts";
import { answerGap, plus, tableUnits, type Units } from "./gap.ts";
import { inNormalForm } from "./numbers.ts";

/** Local returns whole attributes if an update changes a part; DynamoDB returns that part, in its place. */
export const wholeAttributes: Gap = answerGap(
  "UPDATED_OLD and UPDATED_NEW return whole attributes",
  "public conformance suites: only the parts that the update names come back",
  (answer, engine, { step: { operation, input }, changes }) => {
    const asked = input["ReturnValues"];
    const [change] = changes;
    if (operation !== "UpdateItem" || (asked !== "UPDATED_OLD" && asked !== "UPDATED_NEW")) return answer;
    if (answer["Attributes"] === undefined || change === undefined) return answer;
    if (!/[.[]/.test(String(input["UpdateExpression"]))) return answer;
    const item = asked === "UPDATED_OLD" ? change.before : change.after;
    const parts = partsAt(item ?? {}, updatedPaths(input));
    if (normalText(inNormalForm(parts)) !== normalText(engine["Attributes"] ?? {})) return answer;
    return { ...answer, Attributes: engine["Attributes"] };
  },
);

type Path = readonly (string | number)[];

/** Returns the paths that the actions of an update expression change, with placeholders resolved. */
function updatedPaths(input: StepOutcomes["step"]["input"]): Path[] {
  const names = (input["ExpressionAttributeNames"] ?? {}) as Readonly<Record<string, string>>;
  const sections = String(input["UpdateExpression"]).split(/\b(?:SET|REMOVE|ADD|DELETE) /);
  return sections.flatMap((section) =>
    actionsIn(section).map((action) => {
      const [text = ""] = /^[\w#.[\]]+/.exec(action) ?? [];
      return [...text.matchAll(/#?\w+|\[(\d+)\]/g)].map(([part, index]) =>
        index === undefined ? (names[part] ?? part) : Number(index),
      );
    }),
  );
}

/** Returns the actions of one section, which commas outside of brackets separate. */
function actionsIn(section: string): string[] {
  let depth = 0;
  let action = "";
  const actions: string[] = [];
  for (const character of section.trim()) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "," && depth === 0) {
      actions.push(action);
      action = "";
    } else action += character;
  }
  return [...actions, action].map((each) => each.trim()).filter((each) => each !== "");
}

/** Returns the part of an item at these paths, each in its place. Elements of lists move together, in order. */
function partsAt(item: Item, paths: readonly Path[]): Item {
  const parts = Object.entries(item).flatMap(([name, value]) => {
    const below = paths.filter(([first]) => first === name).map((path) => path.slice(1));
    const part = below.length === 0 ? undefined : partOf(value, below);
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries(parts);
}

function partOf(value: AttributeValue, paths: readonly Path[]): AttributeValue | undefined {
  if (paths.some((path) => path.length === 0)) return value;
  if (value.M !== undefined) {
    const M = partsAt(value.M, paths);
    return Object.keys(M).length === 0 ? undefined : { M };
  }
  if (value.L === undefined) return undefined;
  const L = value.L.flatMap((element, at) => {
    const below = paths.filter(([first]) => first === at).map((path) => path.slice(1));
    return below.length === 0 ? [] : (partOf(element, below) ?? []);
  });
  return L.length === 0 ? undefined : { L };
}

/** An update that only removes, of an absent item, creates it in Local, with its key alone. */
export const keyAlone: Gap = answerGap(
  "REMOVE and DELETE create an item of the key alone",
  "public conformance suites: an update that only removes creates nothing",
  (answer, engine, met) => {
    const { Attributes, ...rest } = answer;
    const [change] = met.changes;
    const created = change !== undefined && change.before === undefined && change.after === undefined;
    if (!stepOnlyRemoves(met) || !created || engine["Attributes"] !== undefined) return answer;
    const key = normalText(inNormalForm(met.step.input["Key"]));
    if (Attributes !== undefined && normalText(inNormalForm(Attributes)) !== key) return answer;
    // Nothing is written: one unit, whatever the size of the key.
    const units = answer["ConsumedCapacity"] as Units | undefined;
    return units === undefined ? rest : { ...rest, ConsumedCapacity: plus(units, 1 - tableUnits(units)) };
  },
);

/** Returns whether a step is an update with only REMOVE and DELETE, or a transaction with such an update. */
export function stepOnlyRemoves({ step: { operation, input } }: Pick<StepOutcomes, "step">): boolean {
  if (operation === "TransactWriteItems") {
    const actions = membersOf(input["TransactItems"]);
    return actions.some((action) => onlyRemoves(member(member(action, "Update"), "UpdateExpression")));
  }
  if (operation !== "UpdateItem") return false;
  const updates = input["AttributeUpdates"];
  if (updates === undefined) return onlyRemoves(input["UpdateExpression"]);
  return membersOf(updates).every((update) => member(update, "Action") === "DELETE");
}

/** Returns a member of something that may be anything in a broken request. */
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

/** A path that leads nowhere is not an error if there is no item at all. */
export const pathOfAbsentItem: Gap = {
  name: "REMOVE of a nested path of an absent item is rejected",
  source: "ScyllaDB's Alternator tests, run against AWS: test_nested_attribute_remove_from_missing_item",
  correct: (met) => {
    const { engine, local } = met;
    const rejected =
      local.kind === "rejected" && local.rejection.message.startsWith("The document path provided");
    const nothing = met.changes.every(({ before, after }) => before === undefined && after === undefined);
    return rejected &&
      engine.kind === "answers" &&
      stepOnlyRemoves(met) &&
      nothing &&
      isBlank(engine.answers[0], met)
      ? engine
      : local;
  },
};

/** Returns whether an answer shows no attributes and at most the smallest write of each action as capacity. */
function isBlank(answer: Readonly<Record<string, unknown>> | undefined, { step }: StepOutcomes): boolean {
  if (answer === undefined || answer["Attributes"] !== undefined) return false;
  const capacity = answer["ConsumedCapacity"] as Units | readonly Units[] | undefined;
  if (capacity === undefined) return true;
  const units = [capacity].flat().reduce((sum, each) => sum + Number((each as Units)["CapacityUnits"]), 0);
  return units === (step.operation === "UpdateItem" ? 1 : 2 * membersOf(step.input["TransactItems"]).length);
}

import { type OptionCheck, type OptionChecks, optionCheck } from "@tablekeep/core";
import type { ActionOptions, AttributeChanges } from "../projection.ts";
import { checkOptions, optionInvalid } from "../projection-error.ts";

const object = optionCheck.objectWith();

const condition: OptionCheck = (value) =>
  typeof (value as { expression?: unknown } | null)?.expression === "string"
    ? undefined
    : "must be an object with an expression";

const changeChecks: OptionChecks<AttributeChanges> = {
  set: object,
  add: object,
  remove: optionCheck.arrayOf(optionCheck.nonEmptyString),
};

const actionChecks: OptionChecks<ActionOptions> = { condition };

function check(name: string, value: unknown, isWrong: OptionCheck): void {
  const reason = isWrong(value);
  if (reason !== undefined) throw optionInvalid(name, reason);
}

/** Returns why a value is not a map of attributes in DynamoDB's own form. Attributes of items may be undefined: they are left out. */
const attributes: OptionCheck = (value) => {
  const reason = object(value);
  if (reason !== undefined) return reason;
  const wrong = Object.entries(value as object).find(([, each]) => each !== undefined && !isValue(each));
  return wrong && `must have attributes such as { S: "a" }, got ${typeof wrong[1]} for ${wrong[0]}`;
};

const keyAttributes: OptionCheck = (value) => {
  const reason = attributes(value);
  if (reason !== undefined) return reason;
  const isOfKey = (each: Partial<Record<"S" | "N" | "B", unknown>> | undefined) =>
    typeof each?.S === "string" || typeof each?.N === "string" || each?.B instanceof Uint8Array;
  const wrong = Object.entries(value as object).find(([, each]) => !isOfKey(each));
  return wrong && `must have a string, number or binary value for ${wrong[0]}`;
};

function isValue(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** Throws `PROJECTION_OPTION_INVALID` for an invalid table, key or item. */
export function checkPlace(table: unknown, name: "key" | "item", value: unknown): void {
  check("table", table, optionCheck.nonEmptyString);
  check(name, value, name === "key" ? keyAttributes : attributes);
}

/**
 * Throws `PROJECTION_OPTION_INVALID` for a write to a table that is not the handler's: `reserved` describes them. A table may be
 * named by its ARN.
 */
export function checkWritable(table: string, reserved: ReadonlyMap<string, string>): void {
  const use = reserved.get(table.slice(table.lastIndexOf("/") + 1));
  if (use !== undefined)
    throw optionInvalid("table", `must not be ${table}, ${use}: write to a separate table`);
}

/** Throws `PROJECTION_OPTION_INVALID` for unknown kinds of changes, which would be ignored otherwise. */
export function checkChanges(changes: AttributeChanges): void {
  checkOptions(changes, changeChecks, "changes");
}

/** Throws `PROJECTION_OPTION_INVALID` for options other than a condition: the action would be unconditional. */
export function checkActionOptions(options: ActionOptions): void {
  checkOptions(options, actionChecks);
}

/** Throws `PROJECTION_OPTION_INVALID` unless the value is a condition. */
export function checkCondition(given: unknown): void {
  check("condition", given, condition);
}

const oneAction = "must have one of Put, Update, Delete and ConditionCheck, with a TableName";

function isOneAction(action: object): boolean {
  const [only, ...more] = Object.entries(action).filter(([, value]) => value !== undefined);
  if (only === undefined || more.length > 0) return false;
  const [kind, content] = only;
  const table: unknown = (content as { TableName?: unknown } | null)?.TableName;
  return ["Put", "Update", "Delete", "ConditionCheck"].includes(kind) && typeof table === "string";
}

/** Throws `PROJECTION_OPTION_INVALID` unless the value is an action in DynamoDB's own form. */
export function checkAction(given: unknown): void {
  check("action", given, (value) => object(value) ?? (isOneAction(value as object) ? undefined : oneAction));
}

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

/** Throws `PROJECTION_OPTION_INVALID` for what is not a table, and not a key or an item. */
export function checkPlace(table: unknown, name: "key" | "item", value: unknown): void {
  check("table", table, optionCheck.nonEmptyString);
  check(name, value, object);
}

/** Throws `PROJECTION_OPTION_INVALID` for unknown kinds of changes: they would be left out. */
export function checkChanges(changes: AttributeChanges): void {
  checkOptions(changes, changeChecks, "changes");
}

/** Throws `PROJECTION_OPTION_INVALID` for other options than a condition: the action would be unconditional. */
export function checkActionOptions(options: ActionOptions): void {
  checkOptions(options, actionChecks);
}

/** Throws `PROJECTION_OPTION_INVALID` for what is not a condition. */
export function checkCondition(given: unknown): void {
  check("condition", given, condition);
}

/** Throws `PROJECTION_OPTION_INVALID` for what is not an action in DynamoDB's own form. */
export function checkAction(given: unknown): void {
  check("action", given, object);
}

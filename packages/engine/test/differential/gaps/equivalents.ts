import type { Change } from "../run/items.ts";
import type { Step } from "../step.ts";

/** A step that is equivalent for DynamoDB, and that DynamoDB Local supports. */
export interface Equivalent {
  /** The gap of DynamoDB Local that makes it necessary. */
  readonly name: string;
  readonly step: Step;
  /** Its capacity differs, and is not compared. @default false */
  readonly withoutCapacity?: boolean;
}

/**
 * Returns the step in the form in which it means the same to DynamoDB Local as to DynamoDB, and the gaps that this
 * works around. A legacy update without an action is a PUT (AWS: API_AttributeValueUpdate, Action); Local does
 * nothing.
 */
export function rewrittenForLocal(step: Step): { readonly step: Step; readonly gaps: readonly string[] } {
  const updates = step.input["AttributeUpdates"];
  if (!isMembers(updates)) return { step, gaps: [] };
  let rewritten = false;
  const withActions = Object.entries(updates).map(([name, update]) => {
    if (!isMembers(update) || (update["Action"] ?? undefined) !== undefined) return [name, update];
    rewritten = true;
    return [name, { ...update, Action: "PUT" }];
  });
  if (!rewritten) return { step, gaps: [] };
  const input = { ...step.input, AttributeUpdates: Object.fromEntries(withActions) };
  return { step: { ...step, input }, gaps: ["ignores an update without an action"] };
}

/**
 * Returns steps that are equivalent for DynamoDB to one that Local rejected with this message. In a transaction,
 * removing a nested path of an absent item does nothing (ScyllaDB's Alternator tests); Local rejects it. Local also
 * evaluates the second operand of `if_not_exists` if the first exists (AWS docs, update expressions: only without the
 * first).
 */
export function equivalents(step: Step, message: string, changes: readonly Change[]): Equivalent[] {
  if (message.startsWith("The document path provided")) return withoutIdleActions(step, changes);
  if (!message.startsWith("The provided expression refers to")) return [];
  const name = "evaluates the second operand of if_not_exists although the first exists";
  const actions = step.input["TransactItems"];
  if (!Array.isArray(actions))
    return withFirstOperands(step.input).map((input) => ({ name, step: { ...step, input } }));
  return actions.flatMap((action: Readonly<Record<string, unknown>>, at) =>
    withFirstOperands(isMembers(action["Update"]) ? action["Update"] : {}).map((Update) => {
      const input = { ...step.input, TransactItems: actions.with(at, { ...action, Update }) };
      return { name, step: { ...step, input } };
    }),
  );
}

/** Returns an update with one of its `if_not_exists` replaced by the first operand, for each of them. */
function withFirstOperands(update: Step["input"]): Step["input"][] {
  const expression = update["UpdateExpression"];
  if (typeof expression !== "string") return [];
  const calls = [...expression.matchAll(/if_not_exists\(([^,()]+), ((?:[^()]|\([^()]*\))+)\)/g)];
  return calls.map(([call, first = ""]) =>
    withoutUnused({ ...update, UpdateExpression: expression.replace(call, first) }),
  );
}

/** Returns the transaction without updates that only remove something from an absent item. */
function withoutIdleActions(step: Step, changes: readonly Change[]): Equivalent[] {
  const actions = step.input["TransactItems"];
  if (step.operation !== "TransactWriteItems" || !Array.isArray(actions)) return [];
  if (changes.length !== actions.length) return [];
  const busy = actions.filter((action: { Update?: { UpdateExpression?: string } }, at) => {
    const removes = /^(REMOVE|DELETE) (?!.* (SET|ADD) )/.test(action.Update?.UpdateExpression ?? "");
    return !removes || changes[at]?.before !== undefined || changes[at]?.after !== undefined;
  });
  if (busy.length === 0 || busy.length === actions.length) return [];
  const { ReturnConsumedCapacity: _capacity, ClientRequestToken: _token, ...input } = step.input;
  const name = "REMOVE of a nested path of an absent item is rejected";
  return [{ name, withoutCapacity: true, step: { ...step, input: { ...input, TransactItems: busy } } }];
}

/** Returns the request without placeholders that its expressions no longer use. */
function withoutUnused(input: Step["input"]): Step["input"] {
  const texts = Object.entries(input).flatMap(([name, text]) =>
    name.endsWith("Expression") ? [String(text)] : [],
  );
  const used = new Set(texts.flatMap((text) => text.match(/[:#]\w+/g) ?? []));
  const entries = Object.entries(input).flatMap(([name, value]) => {
    if (!name.startsWith("ExpressionAttribute") || !isMembers(value)) return [[name, value]];
    const kept = Object.entries(value).filter(([placeholder]) => used.has(placeholder));
    return kept.length === 0 ? [] : [[name, Object.fromEntries(kept)]];
  });
  return Object.fromEntries(entries) as Step["input"];
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

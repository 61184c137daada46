import { createHash } from "node:crypto";
import {
  type AwsShadows,
  changeDocument,
  type DocumentObject,
  printJson,
  type QueriedShadow,
  type ShadowChange,
} from "@tablekeep/shadow";
import { conditionOf, type RuleEventName, type ShadowRule } from "../../setting-files/shadow-rules.ts";

/** The request to the URL of one rule for one change. */
export interface RuleEvent {
  /** The name of the rule. */
  readonly rule: string;
  /** The same whenever the same change is read again: a receiver recognizes repetitions by it. */
  readonly id: string;
  readonly thing: string;
  readonly name: string;
  readonly version: number;
  /** JSON. */
  readonly body: string;
}

/** Returns a function that returns the events of a change, by the rules that match it. Throws `SHADOW_QUERY_INVALID`. */
export function ruleMatcher(
  rules: readonly ShadowRule[],
  shadows: Pick<AwsShadows, "documentsOf">,
): (change: ShadowChange) => RuleEvent[] {
  const conditions = rules.map((rule) => ({ rule, condition: conditionOf(rule) }));
  return (change) =>
    conditions.flatMap(({ rule: { name: rule, on }, condition }): RuleEvent[] => {
      const document = documentOf(change, on, shadows);
      if (document === undefined || condition?.matches(queriedOf(change)) === false) return [];
      const { id: thing, name, version } = change;
      const body = printJson({ type: `shadow.${on}`, rule, thing, name, version, document });
      return [{ rule, id: idOf(rule, change), thing, name, version, body }];
    });
}

/** The document of an event: those of AWS's topics, or our own. Undefined if the change is not such an event. */
function documentOf(
  change: ShadowChange,
  on: RuleEventName,
  shadows: Pick<AwsShadows, "documentsOf">,
): DocumentObject | undefined {
  if (change.kind === "deleted") return on === "delete" ? changeDocument(change) : undefined;
  if (on === "delete") return undefined;
  return on === "update" ? changeDocument(change) : shadows.documentsOf(change.update)[on];
}

function queriedOf(change: ShadowChange): QueriedShadow {
  const { id, name, version } = change;
  return change.kind === "updated" ? change.update.current : { id, name, version, state: {} };
}

/** A shadow that is deleted and created again may repeat versions, so the time is part of the id. */
function idOf(rule: string, change: ShadowChange): string {
  const { id, name, kind, version } = change;
  const { timeStamp } = kind === "updated" ? change.update.current : change.deletion;
  const text = JSON.stringify([rule, id, name, kind, version, String(timeStamp)]);
  return createHash("sha256").update(text).digest("base64url").slice(0, 32);
}

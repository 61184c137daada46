import { isShadowError, ShadowError, type ShadowQuery, shadowQuery } from "@tablekeep/shadow";
import { ServerError } from "../server-error.ts";
import { type HookTarget, readHookEntries } from "./hook-entries.ts";

/** The kinds of changes that a rule can match. */
const ruleEvents = ["update", "delta", "documents", "delete"] as const;
export type RuleEventName = (typeof ruleEvents)[number];

/** A rule: a URL that receives shadow changes. */
export interface ShadowRule extends HookTarget {
  readonly on: RuleEventName;
  /** A condition on the shadow after the change, in the language of searches. @default every change */
  readonly where?: string;
}

/** The known facts about a deleted shadow. */
const knownOfDeleted = ["thing", "name", "version"];

/** Reads rules from a file: an array of objects with `name`, `on`, `where`, `url` and `secret`. Errors never contain secrets. */
export function readShadowRulesFile(path: string): readonly ShadowRule[] {
  const invalid = (reason: string, pointer?: string, cause?: unknown) => {
    const message = `cannot read shadow rules from ${path}: ${reason}`;
    return new ServerError("SERVER_SHADOW_RULES_INVALID", message, { path, reason, pointer }, cause);
  };
  const entries = readHookEntries(path, { noun: "rule", fields: ["on", "where"], invalid });
  return entries.map(({ target, text, wrong }) => {
    const on = ruleEvents.find((name) => name === text("on"));
    if (on === undefined) throw wrong(`must have a field on: one of ${ruleEvents.join(", ")}`, "on");
    const rule = { ...target, on, ...(text("where") !== undefined && { where: text("where") }) };
    try {
      conditionOf(rule);
    } catch (error) {
      if (!isShadowError(error, "SHADOW_QUERY_INVALID")) throw error;
      const { position, reason } = error.details;
      throw wrong(`has an invalid where, at character ${position}: ${reason}`, "where");
    }
    return rule;
  });
}

/** Parses the condition of a rule. Throws `SHADOW_QUERY_INVALID`. */
export function conditionOf({ where, on }: ShadowRule): ShadowQuery | undefined {
  if (where === undefined) return undefined;
  const condition = shadowQuery(where);
  const unknown = [...condition.roots].find((root) => !knownOfDeleted.includes(root));
  if (on !== "delete" || unknown === undefined) return condition;
  const reason = `${unknown} of a deleted shadow is not known, only thing, name and version`;
  const details = { query: where, position: where.indexOf(unknown) + 1, reason };
  throw new ShadowError("SHADOW_QUERY_INVALID", `the condition of a rule is invalid: ${reason}`, details);
}

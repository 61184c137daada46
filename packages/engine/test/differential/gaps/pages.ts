import type { AttributeValue, Item } from "@tablekeep/core";
import { normalText } from "../run/comparable.ts";
import type { Answer, Outcome } from "../run/outcome.ts";
import type { Gap, StepOutcomes } from "./gap.ts";
import { inNormalForm } from "./numbers.ts";

const isEmptyEnd = (page: Answer | undefined): boolean =>
  page !== undefined && page["ScannedCount"] === 0 && page["LastEvaluatedKey"] === undefined;

/** Returns whether a page ended before its limit, which only its bytes can cause. */
function cutByBytes(page: Answer | undefined, limit: unknown): boolean {
  return page?.["LastEvaluatedKey"] !== undefined && page["ScannedCount"] !== limit;
}

/**
 * If a page ends with the last item, DynamoDB still returns its key, and an empty page follows. Local does so for a
 * limit, but not if 1 MB ended the page, if the table has no sort key, or at a bound of the condition.
 */
export const keyOfLastItem: Gap = {
  name: "returns no key if a page ends with the last item",
  source: "dynalite's suite, run against AWS: a page that a limit or 1 MB has ended has a LastEvaluatedKey",
  correct: (met) => {
    const { engine, local } = met;
    if (engine.kind !== "answers" || local.kind !== "answers") return local;
    const [ours, theirs] = [engine.answers, local.answers];
    const last = ours.length - 2;
    const missing = ours.length === theirs.length + 1 && theirs[last]?.["LastEvaluatedKey"] === undefined;
    if (!missing || !isEmptyEnd(ours[last + 1]) || !endsEarly(met, ours[last])) return local;
    const withKey = { ...theirs[last], LastEvaluatedKey: ours[last]?.["LastEvaluatedKey"] };
    return { kind: "answers", answers: [...theirs.slice(0, last), withKey, ours[last + 1] as Answer] };
  },
};

function endsEarly(
  { step: { operation, allPages, input } }: StepOutcomes,
  page: Answer | undefined,
): boolean {
  if (cutByBytes(page, input["Limit"])) return true;
  if (operation !== "Query") return false;
  const oneItem = allPages?.path.kind === "table" && allPages.path.range === undefined;
  const atBound =
    / (BETWEEN|>=|<=) /.test(String(input["KeyConditionExpression"])) || input["KeyConditions"] !== undefined;
  return oneItem || atBound;
}

/**
 * Local rejects a start key at the last value that the condition allows, although DynamoDB itself returns such keys.
 */
export const startAtBound: Gap = {
  name: "rejects a start key at the bound of the key condition",
  source: "dynalite's suite, run against AWS: a page that a limit ended at the bound has a LastEvaluatedKey",
  correct: ({ step: { input, allPages }, engine, local }): Outcome => {
    const rejected =
      local.kind === "rejected" && /does not match the range key predicate/.test(local.rejection.message);
    const [page, ...others] = engine.kind === "answers" ? engine.answers : [];
    const startKey = input["ExclusiveStartKey"] as Item | undefined;
    const sortValue = startKey?.[allPages?.table.range?.name ?? ""];
    const bounds = Object.values((input["ExpressionAttributeValues"] ?? {}) as Item);
    const atBound = bounds.some((bound) => sameValue(bound, sortValue));
    return rejected && atBound && isEmptyEnd(page) && others.length === 0 ? engine : local;
  },
};

function sameValue(one: AttributeValue, two: AttributeValue | undefined): boolean {
  return two !== undefined && normalText(inNormalForm(one)) === normalText(inNormalForm(two));
}

/** Local counts what the filter keeps towards 1 MB; DynamoDB counts what it reads. */
export const bytesAfterFilter: Gap = {
  name: "counts the 1 MB after the filter",
  source: "AWS docs: Query, filter expressions — a filter is applied after the 1 MB are read",
  correct: ({ step: { input }, engine, local }): Outcome => {
    if (engine.kind !== "answers" || local.kind !== "answers") return local;
    const filtered = ["FilterExpression", "QueryFilter", "ScanFilter"].some(
      (name) => input[name] !== undefined,
    );
    const cut = engine.answers.some((page) => cutByBytes(page, input["Limit"]));
    return filtered &&
      cut &&
      readsMoreFirst(local.answers, engine.answers) &&
      together(engine.answers) === together(local.answers)
      ? engine
      : local;
  },
};

/** Whether the first of these pages that reads another number of items than its counterpart reads more. */
function readsMoreFirst(pages: readonly Answer[], others: readonly Answer[]): boolean {
  const differs = pages.findIndex((page, at) => page["ScannedCount"] !== others[at]?.["ScannedCount"]);
  return Number(pages[differs]?.["ScannedCount"] ?? 0) > Number(others[differs]?.["ScannedCount"] ?? 0);
}

/** Returns all items of all pages, and how many were read. */
function together(pages: readonly Answer[]): string {
  const total = (name: string) => pages.reduce((sum, page) => sum + Number(page[name]), 0);
  return JSON.stringify([
    pages.flatMap((page) => page["Items"] ?? []),
    total("Count"),
    total("ScannedCount"),
  ]);
}

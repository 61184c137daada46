import type { AttributeValue, Item } from "@tablekeep/core";
import type { Step } from "../step.ts";
import type { ReadPath } from "../tables.ts";
import type { Answer, Outcome } from "./outcome.ts";

/**
 * Removes what DynamoDB leaves open from an outcome: the order of a batch, of a scan, of equal sort keys in an index.
 */
export function comparable(step: Step, outcome: Outcome, other: Outcome): unknown {
  if (outcome.kind === "rejected") return normal({ rejected: withoutStatus(outcome.rejection) });
  if (outcome.kind === "crashed") return { crashed: outcome.error };
  const { answers } = outcome;
  const [first = {}] = answers;
  if (step.allPages === undefined) return step.operation === "BatchGetItem" ? batch(first) : single(first);
  if (step.operation === "Query" && step.allPages.path.kind === "table") return answers.map(single);
  // If such an order begins in the middle (only in a broken request), its items are in one of the two or in both.
  if (step.input["ExclusiveStartKey"] !== undefined) return "some items of an open order";
  const segmented = (step.allPages.segments ?? 1) > 1;
  const cut =
    segmented || [outcome, other].some((each) => each.kind === "answers" && isCut(step, each.answers));
  return pages(step, step.allPages.path, answers, cut);
}

/** Returns whether bytes ended a page: which items that affects depends on the order. */
function isCut({ input }: Step, answers: readonly Answer[]): boolean {
  return answers.some(
    ({ ScannedCount, LastEvaluatedKey }) => LastEvaluatedKey !== undefined && ScannedCount !== input["Limit"],
  );
}

function withoutStatus({
  exception,
  message,
  item,
  reasons,
}: Extract<Outcome, { kind: "rejected" }>["rejection"]): object {
  return { exception, message, item, reasons };
}

function single(answer: Answer): unknown {
  const { ConsumedCapacity, ...rest } = answer;
  return normal({
    ...rest,
    ConsumedCapacity: Array.isArray(ConsumedCapacity) ? sortedByText(ConsumedCapacity) : ConsumedCapacity,
  });
}

function batch({ Responses, ...rest }: Answer): unknown {
  const sorted = Object.entries((Responses ?? {}) as Record<string, unknown[]>).map(([table, items]) => [
    table,
    sortedByText(items),
  ]);
  return single({ ...rest, Responses: Object.fromEntries(sorted) });
}

/** For pages whose ends depend on an undefined order: all items together, and their number. */
function pages(step: Step, path: ReadPath, answers: readonly Answer[], cut: boolean): unknown {
  const items = answers.flatMap(({ Items }) => (Items as Item[] | undefined) ?? []);
  const total = (member: string) => answers.reduce((sum, answer) => sum + Number(answer[member]), 0);
  const ordered = step.operation === "Query" && path.range !== undefined;
  return {
    items: ordered ? inRuns(items, path.range.name) : sortedByText(items),
    hasItems: answers[0]?.["Items"] !== undefined,
    count: total("Count"),
    scanned: total("ScannedCount"),
    pages: cut ? "cut by bytes" : answers.map(({ ScannedCount }) => ScannedCount),
    // Rounded up page by page: comparable only if there is one.
    capacity: cut || answers.length > 1 ? "of several pages" : normal(answers[0]?.["ConsumedCapacity"]),
  };
}

/** Items with the same sort key may come in any order; without a requested order, all may. */
function inRuns(items: readonly Item[], sortKey: string): unknown[] {
  if (items.some((item) => item[sortKey] === undefined)) return sortedByText(items);
  const runs: { value: AttributeValue | undefined; items: Item[] }[] = [];
  for (const item of items) {
    const last = runs[runs.length - 1];
    if (last !== undefined && normalText(last.value) === normalText(item[sortKey])) last.items.push(item);
    else runs.push({ value: item[sortKey], items: [item] });
  }
  return runs.map((run) => sortedByText(run.items));
}

/**
 * Returns plain data that can be compared as text: bytes as hex, sets in order, without absent members, members
 * sorted.
 */
function normal(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [two]) => (one < two ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, member]) => [name, isSet(name, member) ? sortedByText(member) : normal(member)]),
  );
}

/** Returns elements in normal form, in an order that does not depend on theirs. */
function sortedByText(elements: readonly unknown[]): unknown[] {
  return elements
    .map((element) => [JSON.stringify(normal(element)), normal(element)] as const)
    .sort(([one], [two]) => (one < two ? -1 : one > two ? 1 : 0))
    .map(([, element]) => element);
}

export function normalText(value: unknown): string {
  return JSON.stringify(normal(value));
}

function isSet(name: string, member: unknown): member is unknown[] {
  return (name === "SS" || name === "NS" || name === "BS") && Array.isArray(member);
}

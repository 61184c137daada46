import type { Answer } from "../run/outcome.ts";
import type { Gap } from "./gap.ts";
import { answerGap, plus, tableUnits, type Units } from "./gap.ts";

/** Local charges nothing if nothing was found; DynamoDB charges the smallest read. */
export const emptyReadCapacity: Gap = answerGap(
  "a query or scan that reads nothing costs nothing",
  "public conformance suites: an empty page costs 0.5 units, 1 if consistent",
  (answer, _engine, { step: { operation, input } }) => {
    const units = answer["ConsumedCapacity"] as Units | undefined;
    if (operation !== "Query" && operation !== "Scan") return answer;
    if (units === undefined || answer["ScannedCount"] !== 0 || units["CapacityUnits"] !== 0) return answer;
    const least = input["ConsistentRead"] === true ? 1 : 0.5;
    return {
      ...answer,
      ConsumedCapacity: charged(units, least, (input["IndexName"] ?? undefined) as string | undefined),
    };
  },
);

function charged(units: Units, least: number, index: string | undefined): Units {
  const total = { ...units, CapacityUnits: least };
  if (units["Table"] === undefined) return total;
  if (index === undefined) return { ...total, Table: { CapacityUnits: least } };
  const kinds = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"].filter(
    (kind) => units[kind] !== undefined,
  );
  return {
    ...total,
    ...Object.fromEntries(kinds.map((kind) => [kind, { [index]: { CapacityUnits: least } }])),
  };
}

interface BatchRequest {
  readonly Keys: readonly unknown[];
  readonly ConsistentRead?: boolean;
}

/** Each absent item of a batch costs a smallest read as well. */
export const absentItemCapacity: Gap = answerGap(
  "an absent item of a batch costs nothing",
  "AWS docs: BatchGetItem — an item that does not exist still consumes the minimum read units",
  (answer, _engine, { step: { operation, input } }) => {
    const all = answer["ConsumedCapacity"] as Units[] | undefined;
    if (operation !== "BatchGetItem" || all === undefined) return answer;
    const requests = input["RequestItems"] as Record<string, BatchRequest>;
    const found = (answer["Responses"] ?? {}) as Record<string, unknown[]>;
    const corrected = all.map((units) => {
      const table = units["TableName"] as string;
      const request = requests[table];
      const absent = (request?.Keys.length ?? 0) - (found[table]?.length ?? 0);
      return absent === 0 ? units : plus(units, absent * (request?.ConsistentRead ? 1 : 0.5));
    });
    return corrected.every((units, at) => units === all[at])
      ? answer
      : { ...answer, ConsumedCapacity: corrected };
  },
);

/**
 * A local index fetches from the table what it does not contain, and only that costs. Local charges a query for any
 * projection except whole attributes, and a scan for none. No item of a local index of the test tables is larger than
 * 4 KB.
 */
export const fetchedFromTable: Gap = answerGap(
  "what a local index fetches from the table is charged by another rule",
  "AWS: API_Query and API_Scan, Select — each fetch of attributes that are not projected costs a read of the table",
  (answer, _engine, { step: { input, allPages } }) => {
    const units = answer["ConsumedCapacity"] as Units | undefined;
    const path = allPages?.path;
    if (path?.kind !== "local" || path.projected === undefined || units?.["Table"] === undefined)
      return answer;
    const each = input["ConsistentRead"] === true ? 1 : 0.5;
    const fetched = fetches(input, path.projected) ? Number(answer["ScannedCount"]) * each : 0;
    const more = fetched - tableUnits(units);
    return more === 0 ? answer : { ...answer, ConsumedCapacity: plus(units, more) };
  },
);

/** Returns whether a read requests attributes that an index does not contain. */
function fetches(input: Readonly<Record<string, unknown>>, projected: readonly string[]): boolean {
  if (input["Select"] === "ALL_ATTRIBUTES") return true;
  const names = (input["ExpressionAttributeNames"] ?? {}) as Readonly<Record<string, string>>;
  const paths = String(input["ProjectionExpression"] ?? "").split(", ");
  const listed = (input["AttributesToGet"] ?? []) as readonly string[];
  const asked = paths.map((text) => /^#?\w*/.exec(text)?.[0] ?? "").map((name) => names[name] ?? name);
  return [...asked, ...listed].some((name) => name !== "" && !projected.includes(name));
}

/** Local reports the capacity of a delete although it was not requested. */
export const unaskedCapacity: Gap = answerGap(
  "DeleteItem reports capacity without request",
  "AWS: API_DeleteItem, ReturnConsumedCapacity — NONE is the default",
  (answer: Answer, _engine, { step: { operation, input } }) => {
    const asked = input["ReturnConsumedCapacity"] ?? "NONE";
    if (operation !== "DeleteItem" || asked !== "NONE") return answer;
    const { ConsumedCapacity, ...rest } = answer;
    return ConsumedCapacity === undefined ? answer : rest;
  },
);

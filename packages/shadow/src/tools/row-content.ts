import { type RowContent, rowContent, type StoredRow } from "../rows/stored-row.ts";

/** The content of an item without its version, as one string to compare. */
export function contentText(row: StoredRow): string {
  const { attributes } = contentOf(row);
  const { Metadata: _metadata, ...rest } = attributes;
  return sortedText({ ...rest, metadata: { S: sortedText(row.metadata) } });
}

/** JSON with sorted keys and sets: DynamoDB keeps neither order. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (key, each: unknown) => {
    if (each instanceof Uint8Array) return Buffer.from(each).toString("base64");
    if (Array.isArray(each)) return key === "SS" || key === "NS" || key === "BS" ? sortedSet(each) : each;
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}

function sortedSet(elements: readonly unknown[]): unknown[] {
  return elements
    .map((each) => (each instanceof Uint8Array ? Buffer.from(each).toString("base64") : each))
    .toSorted();
}

/** The item of a row. */
export function contentOf(row: StoredRow): RowContent {
  const { reported, desired, clientToken, timeStamp, metadata } = row;
  const isEmpty = Object.keys(metadata).length === 0;
  return rowContent(row, {
    reported,
    desired,
    clientToken,
    timeStamp,
    metadata: isEmpty ? undefined : metadata,
  });
}

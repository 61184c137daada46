import type { Operation } from "../database/database.ts";
import { checkParameters, requestExpressions } from "../expression/request-expressions.ts";
import { checkReadPaths, checkSelect } from "../read/check-read.ts";
import { checkScanStartKey, rangeAfter, scanRange, scanStartKeyItem } from "../read/key-range.ts";
import { pageAnswer } from "../read/read-page.ts";
import { sourceOf } from "../read/source.ts";
import { invalid } from "../values/dynamo-errors.ts";

export const scan: Operation<"Scan"> = (database, input) => {
  // DynamoDB checks the segment after legacy filters and before expressions.
  if (checkParameters(input, "scan").expressions.length > 0) checkSegment(input.Segment, input.TotalSegments);
  const { filter, projection } = requestExpressions(input, "scan");
  const startKey = input.ExclusiveStartKey && scanStartKeyItem(input.ExclusiveStartKey);
  checkSegment(input.Segment, input.TotalSegments);
  checkSelect(input, projection, "Scanning");
  const source = sourceOf(database, input);
  const segment = scanRange(source, input.Segment, input.TotalSegments);
  let range = segment;
  if (startKey !== undefined) {
    const rest = rangeAfter(source, segment, checkScanStartKey(source, startKey));
    if (rest === undefined) {
      throw invalid(
        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment.",
      );
    }
    range = rest;
  }
  checkReadPaths(source, { projection, filter });
  return pageAnswer(database, source, range, { filter, projection }, input);
};

function checkSegment(segment: number | undefined, total: number | undefined): void {
  if (segment === undefined && total === undefined) return;
  if (segment === undefined) {
    throw invalid(
      "The Segment parameter is required but was not present in the request when parameter TotalSegments is present",
    );
  }
  if (total === undefined) {
    throw invalid(
      "The TotalSegments parameter is required but was not present in the request when Segment parameter is present",
    );
  }
  if (segment >= total) {
    throw invalid(
      "The Segment parameter is zero-based and must be less than parameter TotalSegments: " +
        `Segment: ${segment} is not less than TotalSegments: ${total}`,
    );
  }
}

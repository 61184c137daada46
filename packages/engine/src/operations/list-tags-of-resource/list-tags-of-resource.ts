import { resourceNotFound, taggedTable } from "../../catalog/tagged-table.ts";
import { invalid } from "../../item/refuse.ts";
import type { Operation } from "../operation.ts";

/** A table has at most 50 tags, and DynamoDB lists them all at once: it never returns a token, and accepts none. */
export const listTagsOfResource: Operation<"ListTagsOfResource"> = (
  database,
  { ResourceArn = "", NextToken },
) => {
  const table = database.catalog.find(taggedTable(ResourceArn));
  if (table === undefined) throw resourceNotFound(ResourceArn);
  if (NextToken !== undefined) throw invalid("Invalid NextToken");
  return { Tags: [...table.record.tags].sort((a, b) => ((a.Key ?? "") < (b.Key ?? "") ? -1 : 1)) };
};

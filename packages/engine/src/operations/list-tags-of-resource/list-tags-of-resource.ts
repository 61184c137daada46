import { resourceNotFound, taggedTable } from "../../catalog/tagged-table.ts";
import { invalid } from "../../item/refuse.ts";
import type { Operation } from "../operation.ts";

/** AWS: API_ListTagsOfResource gives up to this many at once. */
const tagsAtOnce = 10;

export const listTagsOfResource: Operation<"ListTagsOfResource"> = (
  database,
  { ResourceArn = "", NextToken },
) => {
  const table = database.catalog.find(taggedTable(database, ResourceArn));
  if (table === undefined) throw resourceNotFound(ResourceArn);
  const tags = [...table.record.tags].sort((a, b) => ((a.Key ?? "") < (b.Key ?? "") ? -1 : 1));
  const after = NextToken === undefined ? undefined : keyOf(NextToken);
  const left = tags.filter(({ Key = "" }) => after === undefined || Key > after);
  const page = left.slice(0, tagsAtOnce);
  const last = page[page.length - 1]?.Key;
  return {
    Tags: page,
    NextToken: left.length > page.length && last !== undefined ? tokenOf(last) : undefined,
  };
};

/** The next page begins after a tag, not at a number: one may be removed meanwhile. */
function tokenOf(key: string): string {
  return Buffer.from(JSON.stringify({ after: key })).toString("base64url");
}

function keyOf(token: string): string {
  try {
    const { after } = JSON.parse(Buffer.from(token, "base64url").toString()) as { after?: unknown };
    if (typeof after === "string") return after;
  } catch {
    // Not one of ours: refused below.
  }
  throw invalid("Invalid NextToken");
}

import { changeTags } from "../../catalog/change-tags.ts";
import { invalid } from "../../item/refuse.ts";
import type { Operation } from "../operation.ts";

export const untagResource: Operation<"UntagResource"> = (database, { ResourceArn = "", TagKeys = [] }) => {
  if (TagKeys.length === 0) throw invalid("Atleast one Tag Key needs to be provided as Input.");
  return changeTags(database, ResourceArn, (tags) => tags.filter(({ Key = "" }) => !TagKeys.includes(Key)));
};

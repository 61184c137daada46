import { changeTags } from "../../catalog/change-tags.ts";
import { checkTagCount, checkTags } from "../../catalog/check-tags.ts";
import { invalid } from "../../item/refuse.ts";
import type { Operation } from "../operation.ts";

export const tagResource: Operation<"TagResource"> = (database, { ResourceArn = "", Tags = [] }) => {
  if (Tags.length === 0) throw invalid("Atleast one Tag needs to be provided as Input.");
  checkTags(Tags);
  const given = new Set(Tags.map(({ Key }) => Key));
  return changeTags(database, ResourceArn, (tags) => {
    const all = [...tags.filter(({ Key }) => !given.has(Key)), ...Tags];
    checkTagCount(all);
    return all;
  });
};

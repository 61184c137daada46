import type { Tag } from "@tablekeep/core";
import { invalid } from "../item/refuse.ts";

/** AWS: Limits — tags of one table. */
const maxTags = 50;

/** Tags of one request. */
export function checkTags(tags: readonly Tag[]): void {
  const seen = new Set<string>();
  for (const { Key = "" } of tags) {
    if (Key.startsWith("aws:")) throw invalid(`Tag Key cannot be prefixed with aws:, Key: ${Key}`);
    if (seen.has(Key)) {
      throw invalid(`Duplicate Tag Keys provided as input: Duplicate Tag Key found ${Key}`);
    }
    seen.add(Key);
  }
  checkTagCount(tags);
}

/** All tags that a table is to have. */
export function checkTagCount(tags: readonly Tag[]): void {
  if (tags.length > maxTags) {
    throw invalid("Number of Tags exceed the current limit for the provided ResourceArn");
  }
}

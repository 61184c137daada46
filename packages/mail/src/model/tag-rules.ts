/** Maximum number of tags of a message. */
export const maxTags = 50;

/** Maximum characters of a tag. */
const maxLength = 100;

/** Whether a message can have this tag: it can be written in the header `X-Tags`. */
export function isTag(text: string): boolean {
  return text !== "" && text.length <= maxLength && tagOf(text) === text && !/[,\p{Cc}]/u.test(text);
}

/** Returns the tags in a decoded header `X-Tags`: separated by commas, without those that are not valid. */
export function tagsIn(header: string): string[] {
  if (header === "") return [];
  return sortedTags(header.split(",").map(tagOf).filter(isTag)).slice(0, maxTags);
}

/** Each tag once, in the order of their code points, as a set of them is stored. */
export function sortedTags(tags: readonly string[]): string[] {
  return [...new Set(tags)].sort();
}

function tagOf(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}

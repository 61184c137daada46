import type { Answer } from "../answer/answer.ts";
import { type Images, isSameItem } from "./change.ts";
import { type ItemChange, imagesOf } from "./table-watchers.ts";

/** The changes of a statement. A symbol, so that no protocol includes it. */
const written = Symbol("written");

/** Adds the changes of a statement to its response. */
export function withChange(answer: Answer, images: Images): Answer {
  return { ...answer, [written]: images };
}

/**
 * Returns the item that a PartiQL statement changed, before and after it, from the answer of `engine.execute`; undefined if it changed
 * none. Unlike a watcher, it reports the change of this request and of no other.
 *
 * @example
 * const change = statementChange(await engine.execute("ExecuteStatement", { Statement }));
 */
export function statementChange(answer: Answer): ItemChange | undefined {
  const images = (answer as { readonly [written]?: Images })[written];
  if (images === undefined) return undefined;
  const { before, after } = images;
  const isSame = before === undefined || after === undefined ? before === after : isSameItem(before, after);
  return isSame ? undefined : imagesOf(images);
}

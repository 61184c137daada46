import { randomFillSync } from "node:crypto";
import type { Item } from "@tablekeep/core";

/** The id that a write stores in its item. */
export interface WriteMark {
  /** The attribute that holds it. */
  readonly attribute: string;
  readonly id: string;
}

/** Random bytes for the next ids: generating many together costs no more than generating a few. */
const drawn = Buffer.alloc(16 * 256);
let used = drawn.length;

/**
 * Returns an id that no other write has: 128 random bits in 22 characters.
 *
 * @example
 * const id = newWriteId(); // 22 characters
 */
export function newWriteId(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += 16;
  return drawn.toString("base64url", used - 16, used);
}

/** Whether an item was last written by the write with this mark. */
export function carriesMark(item: Item | undefined, mark: WriteMark): boolean {
  return item?.[mark.attribute]?.S === mark.id;
}

/** The item with the mark on it. */
export function markItem(item: Item, mark: WriteMark): Item {
  return { ...item, [mark.attribute]: { S: mark.id } };
}

/** The parts of an update, standalone or in a transaction. */
export interface UpdateParts {
  UpdateExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

/** SET as a keyword: neither part of a name nor of a placeholder. An attribute of this name needs a placeholder. */
const setKeyword = /(?<![\w#:.])set(?!\w)/i;

/** The update, setting the mark as well. An expression has one SET clause at most, so ours joins it. */
export function markUpdate<Update extends UpdateParts>(update: Update, mark: WriteMark): Update {
  const expression = update.UpdateExpression ?? "";
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = update;
  const [name, value] = [freePlaceholder("#writeId", names), freePlaceholder(":writeId", values)];
  return {
    ...update,
    UpdateExpression: markedExpression(expression, `SET ${name} = ${value}`),
    ExpressionAttributeNames: { ...names, [name]: mark.attribute },
    ExpressionAttributeValues: { ...values, [value]: { S: mark.id } },
  };
}

/** The latest expressions with their mark. Programs send few different ones, each very often. */
const marked = new Map<string, string>();
const maxMarked = 200;

function markedExpression(expression: string, clause: string): string {
  const known = `${clause} ${expression}`;
  let result = marked.get(known);
  if (result === undefined) {
    result = setKeyword.test(expression)
      ? expression.replace(setKeyword, `${clause},`)
      : `${expression} ${clause}`.trim();
    if (marked.size >= maxMarked) marked.clear();
    marked.set(known, result);
  }
  return result;
}

/** A placeholder that the caller's expressions do not use. */
function freePlaceholder(wanted: string, taken: object = {}): string {
  let free = wanted;
  for (let n = 2; Object.hasOwn(taken, free); n++) free = `${wanted}${n}`;
  return free;
}

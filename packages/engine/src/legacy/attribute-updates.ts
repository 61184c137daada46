import type { Path, SetValue, Update } from "../expression/syntax-tree.ts";
import { checkedNameBytes, checkValue } from "../item/check-item.ts";
import { invalidParameter } from "../item/refuse.ts";
import { tagOf, type WireValue } from "../item/wire-value.ts";

interface AttributeUpdate {
  readonly Action?: string;
  readonly Value?: unknown;
}

const setTags: readonly string[] = ["SS", "NS", "BS"];

/** The older form of an update, as the same tree that an expression gives. */
export function attributeUpdates(updates: unknown): Update | undefined {
  if (updates === undefined) return undefined;
  const set: { path: Path; value: SetValue }[] = [];
  const remove: Path[] = [];
  const add: { path: Path; value: WireValue }[] = [];
  const take: { path: Path; value: WireValue }[] = [];
  for (const [name, { Action = "PUT", Value }] of Object.entries(
    updates as Record<string, AttributeUpdate>,
  )) {
    checkedNameBytes(name);
    const path: Path = [name];
    const value = Value === undefined ? undefined : checkValue(Value);
    if (Action === "DELETE" && value === undefined) remove.push(path);
    else if (value === undefined) {
      throw invalidParameter(`Only DELETE action is allowed when no attribute value is specified`);
    } else if (Action === "PUT") set.push({ path, value: { kind: "value", value } });
    else if (Action === "DELETE") take.push({ path, value: checkSet(value) });
    else add.push({ path, value: checkAddend(value) });
  }
  return { set, remove, add, delete: take, legacy: true };
}

/** ADD also appends to a list, which it does not in an expression. */
function checkAddend(value: WireValue): WireValue {
  const tag = tagOf(value);
  if (tag === "N" || tag === "L" || setTags.includes(tag)) return value;
  throw invalidParameter(`ADD action is not supported for the type ${typeWord(tag)}`);
}

function checkSet(value: WireValue): WireValue {
  const tag = tagOf(value);
  if (!setTags.includes(tag))
    throw invalidParameter(`DELETE action with value is not supported for the type ${typeWord(tag)}`);
  return value;
}

const typeWords: Readonly<Record<string, string>> = {
  S: "STRING",
  N: "NUMBER",
  B: "BINARY",
  BOOL: "BOOLEAN",
  NULL: "NULL",
  M: "MAP",
  L: "LIST",
};

function typeWord(tag: string): string {
  return typeWords[tag] ?? tag;
}

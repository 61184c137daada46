import type { Projection } from "../expression/syntax-tree.ts";
import { checkedNameBytes } from "../item/check-item.ts";
import { invalid, invalidParameter } from "../item/refuse.ts";

/** The older form of a projection: names of attributes, never paths. */
export function attributesToGet(names: unknown): Projection | undefined {
  if (names === undefined) return undefined;
  if (!Array.isArray(names)) throw invalid("AttributesToGet must be a list");
  const seen = new Set<string>();
  return names.map((name: string) => {
    checkedNameBytes(name);
    if (seen.has(name)) throw invalidParameter(`Duplicate value in attribute name: ${name}`);
    seen.add(name);
    return [name];
  });
}

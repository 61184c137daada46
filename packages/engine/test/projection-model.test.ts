import { itemSize } from "@tablekeep/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { project } from "../src/expression/project.ts";
import { requestExpressions } from "../src/expression/request-expressions.ts";
import { checkItem } from "../src/values/check-item.ts";
import type { WireItem, WireValue } from "../src/values/wire-value.ts";
import { ownEntries, path, wireItem } from "./models/arbitrary-value.ts";
import { Placeholders } from "./models/expressions.ts";

type Parts = readonly (string | number)[];

/** Returns every place of an item with a leaf (neither map nor list, or an empty one), with the path to it. */
function leaves(value: WireValue, at: Parts = []): (readonly [Parts, WireValue])[] {
  const [tag, content] = Object.entries(value)[0] as [string, unknown];
  const children: (readonly [string | number, WireValue])[] =
    tag === "M"
      ? Object.entries(content as WireItem)
      : tag === "L"
        ? [...(content as WireValue[]).entries()]
        : [];
  if (children.length === 0) return at.length === 0 ? [] : [[at, value]];
  return children.flatMap(([part, child]) => leaves(child, [...at, part]));
}

/** Builds an item from leaves: lists close up. */
function rebuild(places: readonly (readonly [Parts, WireValue])[], depth: number): WireValue {
  const [first] = places;
  if (first === undefined) return { M: {} };
  if (first[0].length === depth) return first[1];
  const groups = new Map<string | number, (readonly [Parts, WireValue])[]>();
  for (const place of places) {
    const part = place[0][depth] as string | number;
    groups.set(part, [...(groups.get(part) ?? []), place]);
  }
  const built = [...groups].map(([part, group]) => [part, rebuild(group, depth + 1)] as const);
  if (typeof first[0][depth] === "string")
    return { M: ownEntries(built as (readonly [string, WireValue])[]) };
  return { L: built.sort(([one], [two]) => Number(one) - Number(two)).map(([, value]) => value) };
}

const begins = (whole: Parts, start: Parts) => start.every((part, at) => whole[at] === part);
const areApart = (paths: readonly Parts[]) =>
  paths.every((one, at) =>
    paths.slice(at + 1).every((two) => {
      const shared = one.findIndex((part, index) => part !== two[index]);
      return shared >= 0 && shared < two.length && typeof one[shared] === typeof two[shared];
    }),
  );

test("a projection keeps the leaves below its paths, and nothing else", () => {
  fc.assert(
    fc.property(
      fc.array(path, { minLength: 1, maxLength: 4 }).filter(areApart),
      fc.array(wireItem, { minLength: 1, maxLength: 4 }),
      (paths, items) => {
        const holders = new Placeholders();
        const ProjectionExpression = paths.map((each) => holders.path(each)).join(", ");
        const { projection } = requestExpressions({ ProjectionExpression, ...holders.parameters }, "read");
        if (projection === undefined) throw new Error("no projection");
        for (const item of items) {
          const kept = leaves({ M: item }).filter(([at]) => paths.some((each) => begins(at, each)));
          const expected = (rebuild(kept, 0) as { M: WireItem }).M;
          expect(project(projection, item)).toEqual(expected);
        }
      },
    ),
    { numRuns: 3000 },
  );
});

/** AWS: item sizes — by the documented rules, one leaf after the other. */
function naiveSize(value: WireValue): number {
  const [tag, content] = Object.entries(value)[0] as [string, unknown];
  const text = (each: string) => new TextEncoder().encode(each).length;
  const number = (each: string) => {
    const [whole = "", fraction = ""] = each.replace("-", "").split(".");
    const even = (digits: string, atStart: boolean) =>
      digits.length % 2 === 0 ? digits : atStart ? `0${digits}` : `${digits}0`;
    const pairs = (even(whole, true) + even(fraction, false)).match(/../g) ?? [];
    const first = pairs.findIndex((pair) => pair !== "00");
    if (first < 0) return 1;
    const last = pairs.findLastIndex((pair) => pair !== "00");
    return Math.min(21, last - first + 2 + (each.startsWith("-") ? 1 : 0));
  };
  const bytes = (each: string) => Buffer.from(each, "base64").length;
  const sizes: Record<string, (each: string) => number> = { S: text, N: number, B: bytes };
  if (tag === "BOOL" || tag === "NULL") return 1;
  if (tag === "L") return (content as WireValue[]).reduce((total, each) => total + 1 + naiveSize(each), 3);
  if (tag === "M") {
    return Object.entries(content as WireItem).reduce(
      (total, [name, each]) => total + 1 + text(name) + naiveSize(each),
      3,
    );
  }
  const sizeOf = sizes[tag.charAt(0)] as (each: string) => number;
  return (tag.length === 2 ? (content as string[]) : [content as string]).reduce(
    (total, each) => total + sizeOf(each),
    0,
  );
}

test("an item's size is the documented sum, in both ways of counting", () => {
  const numbers = fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.nat(),
      fc.string({ unit: fc.constantFrom(..."0012345".split("")), maxLength: 12 }),
    )
    .map(([sign, whole, fraction]) => `${sign}${whole}.${fraction}1`);
  fc.assert(
    fc.property(wireItem, fc.array(numbers, { maxLength: 3 }), (item, more) => {
      const { item: checked, size } = checkItem({ ...item, more: { L: more.map((N) => ({ N })) } });
      const expected = naiveSize({ M: checked }) - 3 - Object.keys(checked).length;
      expect(itemSize(checked)).toBe(expected);
      expect(size).toBe(expected);
    }),
    { numRuns: 3000 },
  );
});

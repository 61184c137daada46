import fc from "fast-check";
import type { Fragment } from "./expression.ts";

type Place = readonly (string | number)[];

/** Places by the attribute they begin with: each attribute may have what its deeper places need, or something else. */
const places: Readonly<Record<string, readonly Place[]>> = {
  a: [["a"], ["a"], ["a"], ["a"], ["a", "b"]],
  b: [["b"], ["b"], ["b"], ["b"], ["b", 0]],
  c: [["c"]],
  m: [
    ["m"],
    ["m", "a"],
    ["m", "a"],
    ["m", "b"],
    ["m", "e"],
    ["m", "e", 0],
    ["m", "x"],
    ["m", "x", "a"],
    ["m", "x", 0],
  ],
  e: [["e"], ["e", 0], ["e", 0], ["e", 1], ["e", 3], ["e", 0, "a"], ["e", 1, 0], ["e", 7]],
  s: [["s"]],
  t: [["t"]],
  name: [["name"]],
};

export const attributeNames: readonly string[] = Object.keys(places);
/** Keys of the tables and indexes that expressions also name. */
export const keyNames: readonly string[] = ["pk", "sk", "g", "h", "l"];

function fragmentOf([place, hidden]: readonly [Place, boolean]): Fragment {
  return place.flatMap((part, at) => {
    if (typeof part === "number") return [`[${part}]`];
    const name = { name: part, hidden: hidden || part === "name" };
    return at === 0 ? [name] : [".", name];
  });
}

const hidden = fc.oneof(
  { weight: 3, arbitrary: fc.constant(false) },
  { weight: 1, arbitrary: fc.constant(true) },
);

/** A document path, sometimes with placeholders. */
export const path: fc.Arbitrary<Fragment> = fc
  .tuple(
    fc.oneof(
      { weight: 25, arbitrary: fc.constantFrom(...Object.values(places).flat()) },
      { weight: 1, arbitrary: fc.constantFrom(...keyNames.map((name): Place => [name])) },
    ),
    hidden,
  )
  .map(fragmentOf);

/** A path that begins with this attribute. */
function pathIn(attribute: string): fc.Arbitrary<Fragment> {
  return fc.tuple(fc.constantFrom(...(places[attribute] ?? [[attribute]])), hidden).map(fragmentOf);
}

/** Paths of which no two begin with the same attribute, so that none overlap. */
export function separatePaths(maxLength: number): fc.Arbitrary<Fragment[]> {
  return fc
    .shuffledSubarray([...attributeNames], { minLength: 1, maxLength })
    .chain((names) => fc.tuple(...names.map(pathIn)));
}

/** The attribute that a path begins with. */
export function attributeOf(fragment: Fragment): string {
  const [first] = fragment;
  return typeof first === "object" && "name" in first ? first.name : "";
}

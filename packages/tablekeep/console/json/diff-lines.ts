import { isObject, sameJson } from "./exact-json.ts";

/** The kind of a line: unchanged, added, or removed. */
export type DiffSign = " " | "+" | "-";

/** One line of a comparison. */
export interface DiffLine {
  readonly sign: DiffSign;
  /** Indented. */
  readonly text: string;
}

/** Unchanged parts of up to this many lines are shown in full. */
const shortLines = 4;
/** Longer lists are compared place by place: the time for finding moved elements is the product of the lengths. */
const longList = 300;

/** Two JSON values as one document, with values of only the first as removed, and of only the second as added. */
export function diffLines(before: unknown, after: unknown): readonly DiffLine[] {
  return compare({ before, after, indent: "", label: "", tail: "" });
}

interface Place {
  readonly before: unknown;
  readonly after: unknown;
  readonly indent: string;
  /** The text before the value: `"name": `. */
  readonly label: string;
  /** The text after it: a comma. */
  readonly tail: string;
}

function compare(place: Place): DiffLine[] {
  const { before, after, indent, label, tail } = place;
  if (sameJson(before, after)) return folded(place);
  const inner = `${indent}  `;
  if (isObject(before) && isObject(after)) {
    const members = mergedKeys(before, after).flatMap((key): DiffLine[] => {
      const at = { indent: inner, label: `${JSON.stringify(key)}: `, tail: "," };
      if (!Object.hasOwn(after, key)) return lines("-", before[key], at);
      if (!Object.hasOwn(before, key)) return lines("+", after[key], at);
      return compare({ before: before[key], after: after[key], ...at });
    });
    return enclosed(`${indent}${label}{`, members, `${indent}}${tail}`);
  }
  if (Array.isArray(before) && Array.isArray(after))
    return enclosed(`${indent}${label}[`, compareLists(before, after, inner), `${indent}]${tail}`);
  return [...sideLines("-", before, place), ...sideLines("+", after, place)];
}

/** Nothing for a side without a value, such as the state before the first event. */
function sideLines(sign: DiffSign, value: unknown, place: Place): DiffLine[] {
  return value === undefined ? [] : lines(sign, value, place);
}

function enclosed(open: string, inside: readonly DiffLine[], close: string): DiffLine[] {
  return [{ sign: " ", text: open }, ...inside, { sign: " ", text: close }];
}

function lines(sign: DiffSign, value: unknown, { indent, label, tail }: Omit<Place, "before" | "after">) {
  const text = `${label}${JSON.stringify(value, undefined, 2)}${tail}`;
  return text.split("\n").map((line): DiffLine => ({ sign, text: `${indent}${line}` }));
}

function folded(place: Place): DiffLine[] {
  const whole = lines(" ", place.after, place);
  const [first, last] = [whole[0], whole.at(-1)];
  if (whole.length <= shortLines || first === undefined || last === undefined) return whole;
  return [{ sign: " ", text: `${first.text} … ${last.text.trim()}` }];
}

/** The keys of both: in the order of the second, with removed ones at their old places. */
function mergedKeys(before: object, after: object): readonly string[] {
  const keys = Object.keys(after);
  let at = 0;
  for (const key of Object.keys(before)) {
    const found = keys.indexOf(key);
    if (found === -1) keys.splice(at++, 0, key);
    else at = found + 1;
  }
  return keys;
}

/** Finds unchanged elements first; between them, a removed element and the one in its place are compared. */
function compareLists(before: readonly unknown[], after: readonly unknown[], indent: string): DiffLine[] {
  const at = { indent, label: "", tail: "," };
  const found: DiffLine[] = [];
  let [left, right] = [0, 0];
  const change = (toLeft: number, toRight: number) => {
    for (; left < toLeft && right < toRight; left++, right++)
      found.push(...compare({ before: before[left], after: after[right], ...at }));
    for (; left < toLeft; left++) found.push(...lines("-", before[left], at));
    for (; right < toRight; right++) found.push(...lines("+", after[right], at));
  };
  for (const [keptLeft, keptRight] of keptPairs(before, after)) {
    change(keptLeft, keptRight);
    found.push(...folded({ before: before[left], after: after[right], ...at }));
    left++;
    right++;
  }
  change(before.length, after.length);
  return found;
}

/** The longest common subsequence, as pairs of places. */
function keptPairs(before: readonly unknown[], after: readonly unknown[]): readonly [number, number][] {
  if (before.length > longList || after.length > longList) return [];
  const [one, other] = [before, after].map((list) => list.map((each) => JSON.stringify(each)));
  if (one === undefined || other === undefined) return [];
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        one[i] === other[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    if (one[i] === other[j]) pairs.push([i++, j++]);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}

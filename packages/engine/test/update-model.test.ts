import { isDynamoError } from "@tablekeep/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyUpdate } from "../src/expression/apply-update.ts";
import { requestExpressions } from "../src/expression/request-expressions.ts";
import type { WireItem, WireValue } from "../src/values/wire-value.ts";
import { path as anyPath, wireItem, wireValue } from "./models/arbitrary-value.ts";
import { naiveAt, Placeholders } from "./models/expressions.ts";

type Parts = readonly [string, ...(string | number)[]];
type Source =
  | { readonly kind: "value"; readonly value: WireValue }
  | { readonly kind: "path"; readonly path: Parts }
  | { readonly kind: "if_not_exists"; readonly path: Parts; readonly otherwise: WireValue }
  | { readonly kind: "list_append"; readonly first: Parts; readonly second: WireValue }
  | { readonly kind: "+" | "-"; readonly path: Parts; readonly value: WireValue };
type Action =
  | { readonly do: "SET"; readonly path: Parts; readonly source: Source }
  | { readonly do: "REMOVE"; readonly path: Parts }
  | { readonly do: "ADD" | "DELETE"; readonly path: Parts; readonly value: WireValue };

/** Items in which paths often lead somewhere: a list, a map, and sets in the list. */
const richItem: fc.Arbitrary<WireItem> = fc
  .tuple(
    wireItem,
    fc.array(fc.oneof(wireValue, fc.constant<WireValue>({ SS: ["a"] })), { minLength: 2, maxLength: 4 }),
    wireItem,
  )
  .map(([item, L, M]) => ({ ...item, a: { L }, b: { M } }));
const item = fc.oneof(wireItem, { weight: 2, arbitrary: richItem });
const path: typeof anyPath = fc.oneof(
  anyPath,
  anyPath.map(([name]): Parts => [name]),
  fc.nat({ max: 5 }).map((index): Parts => ["a", index]),
  anyPath.map(([name]): Parts => ["b", name]),
);

const list = fc.array(wireValue, { maxLength: 2 }).map((L): WireValue => ({ L }));
const number = fc.integer({ min: -5, max: 5 }).map((n): WireValue => ({ N: String(n) }));
const set = wireValue.filter((value) => "SS" in value || "NS" in value || "BS" in value);

const source: fc.Arbitrary<Source> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("value" as const), value: wireValue }) },
  fc.record({ kind: fc.constant("path" as const), path }),
  fc.record({ kind: fc.constant("if_not_exists" as const), path, otherwise: wireValue }),
  fc.record({ kind: fc.constant("list_append" as const), first: path, second: list }),
  fc.record({ kind: fc.constantFrom("+" as const, "-" as const), path, value: number }),
);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("SET" as const), path, source }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("REMOVE" as const), path }) },
  fc.record({ do: fc.constant("ADD" as const), path, value: fc.oneof(number, set) }),
  fc.record({ do: fc.constant("DELETE" as const), path, value: set }),
);

/**
 * Paths of which none is a prefix of another, and that agree on what is a list: DynamoDB rejects anything else
 * beforehand.
 */
function areApart(actions: readonly Action[]): boolean {
  return actions.every(({ path: one }, at) =>
    actions.slice(at + 1).every(({ path: two }) => {
      const shared = one.findIndex((part, index) => part !== two[index]);
      if (shared < 0 || shared >= two.length) return false;
      return typeof one[shared] === typeof two[shared];
    }),
  );
}

const update = fc.array(action, { minLength: 1, maxLength: 4 }).filter(areApart);

function print(actions: readonly Action[], holders: Placeholders): string {
  const sourceText = (from: Source): string => {
    switch (from.kind) {
      case "value":
        return holders.value(from.value);
      case "path":
        return holders.path(from.path);
      case "if_not_exists":
        return `if_not_exists(${holders.path(from.path)}, ${holders.value(from.otherwise)})`;
      case "list_append":
        return `list_append(${holders.path(from.first)}, ${holders.value(from.second)})`;
      default:
        return `${holders.path(from.path)} ${from.kind} ${holders.value(from.value)}`;
    }
  };
  const clauses = (["SET", "REMOVE", "ADD", "DELETE"] as const).flatMap((kind) => {
    const own = actions.filter((each) => each.do === kind);
    if (own.length === 0) return [];
    const texts = own.map((each) => {
      if (each.do === "SET") return `${holders.path(each.path)} = ${sourceText(each.source)}`;
      return each.do === "REMOVE"
        ? holders.path(each.path)
        : `${holders.path(each.path)} ${holders.value(each.value)}`;
    });
    return [`${kind} ${texts.join(", ")}`];
  });
  return clauses.join(" ");
}

/** The model works on a tree of cells: a list's elements keep their identity while others are added and removed. */
interface Cell {
  value?: WireValue;
  members?: Map<string, Cell>;
  elements?: Cell[];
  /** Elements past the end, by the index under which they were set. */
  appended?: Map<number, Cell>;
  gone?: boolean;
}

class Rejected extends Error {}

function cellOf(value: WireValue): Cell {
  const [tag, content] = Object.entries(value)[0] as [string, unknown];
  if (tag === "M") {
    const members = Object.entries(content as WireItem).map(([name, each]) => [name, cellOf(each)] as const);
    return { members: new Map(members) };
  }
  return tag === "L" ? { elements: (content as WireValue[]).map(cellOf), appended: new Map() } : { value };
}

function valueOfCell({ value, members, elements, appended }: Cell): WireValue {
  if (members !== undefined) {
    const kept = [...members].filter(([, cell]) => !cell.gone);
    const map: Record<string, WireValue> = Object.create(null) as Record<string, WireValue>;
    for (const [name, cell] of kept) map[name] = valueOfCell(cell);
    return { M: map };
  }
  if (elements !== undefined) {
    const late = [...(appended ?? [])].sort(([one], [two]) => one - two).map(([, cell]) => cell);
    return { L: [...elements, ...late].filter((cell) => !cell.gone).map(valueOfCell) };
  }
  return value as WireValue;
}

function parentOf(root: Cell, parts: Parts): Cell {
  let cell = root;
  for (const part of parts.slice(0, -1)) {
    const next = typeof part === "string" ? cell.members?.get(part) : cell.elements?.[part];
    if (next === undefined) throw new Rejected();
    cell = next;
  }
  return cell;
}

function setAt(root: Cell, parts: Parts, value: WireValue): void {
  const parent = parentOf(root, parts);
  const last = parts[parts.length - 1] as string | number;
  if (typeof last === "string" && parent.members !== undefined) parent.members.set(last, cellOf(value));
  else if (typeof last === "number" && parent.elements !== undefined) {
    if (last < parent.elements.length) parent.elements[last] = cellOf(value);
    else parent.appended?.set(last, cellOf(value));
  } else throw new Rejected();
}

function removeAt(root: Cell, parts: Parts): void {
  const parent = parentOf(root, parts);
  const last = parts[parts.length - 1] as string | number;
  const holder = typeof last === "string" ? parent.members : parent.elements;
  if (holder === undefined) throw new Rejected();
  const cell = typeof last === "string" ? parent.members?.get(last) : parent.elements?.[last];
  if (cell !== undefined) cell.gone = true;
}

const tagged = (value: WireValue, tag: string) => (value as Record<string, unknown>)[tag];

function evaluate(from: Source, item: WireItem): WireValue {
  const read = (parts: Parts) => {
    const found = naiveAt(item, parts);
    if (found === undefined) throw new Rejected();
    return found;
  };
  switch (from.kind) {
    case "value":
      return from.value;
    case "path":
      return read(from.path);
    case "if_not_exists":
      return naiveAt(item, from.path) ?? from.otherwise;
    case "list_append": {
      const first = tagged(read(from.first), "L") as WireValue[] | undefined;
      if (first === undefined) throw new Rejected();
      return { L: first.concat(tagged(from.second, "L") as WireValue[]) };
    }
    default:
      return sum(read(from.path), from.value, from.kind === "+" ? 1n : -1n);
  }
}

/** The numbers of these tests are integers when multiplied by a thousand. */
function sum(left: WireValue, right: WireValue, sign: bigint): WireValue {
  const thousandfold = (value: WireValue) => {
    const text = tagged(value, "N") as string | undefined;
    if (text === undefined) throw new Rejected();
    const [whole = "", fraction = ""] = text.replace("-", "").split(".");
    const magnitude = BigInt(whole + fraction.padEnd(3, "0"));
    return text.startsWith("-") ? -magnitude : magnitude;
  };
  const total = thousandfold(left) + sign * thousandfold(right);
  const digits = String(total < 0n ? -total : total).padStart(4, "0");
  const text = `${digits.slice(0, -3)}.${digits.slice(-3)}`.replace(/\.?0+$/, "");
  return { N: total < 0n ? `-${text}` : text };
}

function naiveUpdate(actions: readonly Action[], item: WireItem): WireItem {
  const root = cellOf({ M: item });
  const steps: (() => void)[] = [];
  for (const each of actions) {
    if (each.do === "SET") {
      const value = evaluate(each.source, item);
      steps.push(() => setAt(root, each.path, value));
    } else if (each.do === "REMOVE") {
      steps.push(() => removeAt(root, each.path));
    } else {
      const current = naiveAt(item, each.path);
      const result = each.do === "ADD" ? addTo(current, each.value) : takeFrom(current, each.value);
      if (result === "gone") steps.push(() => removeAt(root, each.path));
      else steps.push(() => setAt(root, each.path, result));
    }
  }
  for (const step of steps) step();
  return tagged(valueOfCell(root), "M") as WireItem;
}

const setTag = (value: WireValue) => Object.keys(value)[0] as string;

function addTo(current: WireValue | undefined, value: WireValue): WireValue {
  if (current === undefined) return value;
  const tag = setTag(value);
  if (tag !== setTag(current)) throw new Rejected();
  if (tag === "N") return sum(current, value, 1n);
  const members = [...(tagged(current, tag) as string[])];
  for (const each of tagged(value, tag) as string[]) if (!members.includes(each)) members.push(each);
  return { [tag]: members } as unknown as WireValue;
}

/** Returns what is left of a set. Removing from nothing removes nothing, but the place must exist. */
function takeFrom(current: WireValue | undefined, value: WireValue): WireValue | "gone" {
  if (current === undefined) return "gone";
  const tag = setTag(value);
  if (tag !== setTag(current)) throw new Rejected();
  const taken = tagged(value, tag) as string[];
  const left = (tagged(current, tag) as string[]).filter((each) => !taken.includes(each));
  return left.length === 0 ? "gone" : ({ [tag]: left } as unknown as WireValue);
}

const plain = (item: WireItem) => JSON.stringify(sorted({ M: item }));

/** Returns maps as sorted entries, so that JSON shows `__proto__` as well. */
function sorted(value: WireValue): unknown {
  const [tag, content] = Object.entries(value)[0] as [string, unknown];
  if (tag === "L") return [tag, (content as WireValue[]).map(sorted)];
  if (tag !== "M") return [tag, content];
  const entries = Object.entries(content as WireItem).map(([name, each]) => [name, sorted(each)] as const);
  return [tag, entries.sort(([one], [two]) => (one < two ? -1 : 1))];
}

function outcome(run: () => WireItem): string {
  try {
    return plain(run());
  } catch (error) {
    if (error instanceof Rejected || isDynamoError(error, "ValidationException")) return "rejected";
    throw error;
  }
}

test("updates do what a naive model does, and are rejected where it fails", () => {
  const seen = { done: 0, rejected: 0 };
  fc.assert(
    fc.property(update, fc.array(item, { minLength: 1, maxLength: 4 }), (actions, items) => {
      const holders = new Placeholders();
      const UpdateExpression = print(actions, holders);
      const read = requestExpressions({ UpdateExpression, ...holders.parameters }, "update").update;
      if (read === undefined) throw new Error("no update");
      for (const item of items) {
        const before = plain(item);
        const expected = outcome(() => naiveUpdate(actions, item));
        expect(outcome(() => applyUpdate(read, item))).toBe(expected);
        expect(plain(item)).toBe(before);
        seen[expected === "rejected" ? "rejected" : "done"]++;
      }
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(seen.done, seen.rejected)).toBeGreaterThan(1500);
});

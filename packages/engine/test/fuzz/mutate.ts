import type { SeededRandom } from "@tablekeep/testkit";

const hostileNames = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "then",
  "",
  "\0",
  "é\u0301",
  "\ud800",
  "a".repeat(70_000),
];

/** Values of every wrong kind, and of right kinds at their limits. */
const oddValues: readonly ((random: SeededRandom) => unknown)[] = [
  () => null,
  () => undefined,
  () => true,
  (random) => random.pick([0, -1, 1, 1.5, 1e308, -0, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]),
  (random) =>
    random.pick(["", " ", "a", "\ud800", "1e9999999999", "-", "9".repeat(200), "#a", ":v", "x".repeat(5000)]),
  (random) => random.pick(hostileNames),
  () => [],
  () => ({}),
  (random) => [random.pick(hostileNames)],
  (random) => JSON.parse(`{${JSON.stringify(random.pick(hostileNames))}:{"S":"x"}}`) as object,
  () => JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as object,
  () => new Uint8Array([1, 2, 3]),
  () => new Date(0),
  () => new Map([["a", 1]]),
  () => 10n,
  () => Symbol("s"),
  () => () => undefined,
  (random) =>
    random.pick([
      { S: 1 },
      { N: "x" },
      { N: 1 },
      { B: "?" },
      { SS: [] },
      { L: {} },
      { M: [] },
      { NULL: false },
      { S: "a", N: "1" },
      { X: "y" },
    ]),
  (random) => nested(random.pick([2, 40, 400]), random.chance(0.5)),
  () => Array.from({ length: 300 }, (_, at) => ({ S: String(at) })),
];

const pieces = [
  "(",
  ")",
  "((((((",
  " AND ",
  " NOT ",
  ",",
  "[",
  "]",
  "[99999999999999999999]",
  ".",
  "#a",
  ":b",
  "'",
  '"',
  "<>",
  "BETWEEN",
  "size(",
  "\0",
  "𝄞",
  "--",
  "/*",
  "<<",
  "{",
  "?",
  " SET ",
  " REMOVE ",
  " WHERE ",
  "NULL",
  "1e400",
];

function nested(depth: number, asList: boolean): unknown {
  let value: unknown = { S: "deep" };
  for (let level = 0; level < depth; level++) value = asList ? { L: [value] } : { M: { a: value } };
  return value;
}

function mutateText(text: string, random: SeededRandom): string {
  const at = random.int(0, text.length);
  switch (random.int(0, 4)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + random.pick(pieces) + text.slice(at);
    case 2:
      return text.slice(0, at) + text.slice(at + random.int(1, 4));
    case 3:
      return text.slice(0, at) + random.pick(pieces).repeat(random.pick([2, 50, 900])) + text.slice(at);
    default:
      return text + text;
  }
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly name: string;
}

function placesIn(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return found;
  for (const name of Object.keys(value)) {
    found.push({ holder: value as Record<string, unknown>, name });
    placesIn((value as Record<string, unknown>)[name], found);
  }
  return found;
}

function mutateOnce(root: object, random: SeededRandom): void {
  const places = placesIn(root);
  const texts = places.filter(({ holder, name }) => typeof holder[name] === "string");
  // Expressions, statements, names and numbers are strings: most of what can go wrong is in them.
  if (texts.length > 0 && random.chance(0.5)) {
    const { holder, name } = random.pick(texts);
    holder[name] = mutateText(holder[name] as string, random);
    return;
  }
  const { holder, name } =
    places.length > 0 ? random.pick(places) : { holder: root as Record<string, unknown>, name: "x" };
  const current = holder[name];
  const put = (key: string, value: unknown) =>
    Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  switch (random.int(0, 5)) {
    case 0:
      delete holder[name];
      break;
    case 1:
      // A list has no named members.
      put(Array.isArray(holder) ? String(holder.length) : random.pick(hostileNames), current);
      break;
    case 2:
      if (typeof current === "string") put(name, mutateText(current, random));
      else put(name, random.pick(oddValues)(random));
      break;
    case 3:
      if (places.length > 0) {
        const other = random.pick(places);
        put(name, copyOf(other.holder[other.name]));
      }
      break;
    case 4:
      if (Array.isArray(current))
        put(
          name,
          Array.from({ length: random.pick([2, 101, 30]) }, () => current[0]),
        );
      else put(name, [current]);
      break;
    default:
      put(name, random.pick(oddValues)(random));
  }
}

/** Returns a copy, never the same object: a request that contains itself cannot be sent. */
function copyOf(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return undefined;
  }
}

/** Returns the request with a few errors in it. */
export function mutate(input: object, random: SeededRandom): unknown {
  if (random.chance(0.02)) return random.pick(oddValues)(random);
  const copy = structuredClone(input);
  for (let count = random.pick([1, 1, 1, 2, 3, 6]); count > 0; count--) mutateOnce(copy, random);
  return copy;
}

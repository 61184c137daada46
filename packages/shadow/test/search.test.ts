import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, systemClock, unwrap } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DocumentObject, isShadowError, openShadowManager, shadowTableSpec } from "../src/index.ts";
import { originalItem, shadowWorld } from "./shadow-world.ts";

type Plain = null | boolean | number | string | readonly Plain[] | { readonly [key: string]: Plain };
type Literal = null | boolean | number | string;
type Tree =
  | { readonly op: "and"; readonly left: Tree; readonly right: Tree }
  | { readonly op: "or"; readonly left: Tree; readonly right: Tree }
  | { readonly op: "not"; readonly of: Tree }
  | { readonly op: "exists"; readonly path: readonly string[] }
  | {
      readonly op: "=" | "!=" | "<" | "<=" | ">" | ">=";
      readonly path: readonly string[];
      readonly value: Literal;
    };

const keys = ["a", "b", "and", "a key", 'q"', "0", "1", "__proto__"];
const texts = ["2.1", "2.10", "2.9", "2", "10", "2.01", "2.1.0", "v2.1", "", "é", "and"];
const key = fc.constantFrom(...keys);
const numbers = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom(0.5, -0.25, 1e21, 2.5e-7, 9.75));
const scalar = fc.oneof(fc.boolean(), numbers, fc.constantFrom(...texts));
const literal: fc.Arbitrary<Literal> = fc.oneof(scalar, fc.constant(null));
const inner = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(key, scalar, { maxKeys: 3, noNullPrototype: true }) },
);
const state = fc.dictionary(key, inner, { maxKeys: 5, noNullPrototype: true });
const path = fc
  .tuple(fc.constantFrom("reported", "desired"), fc.array(key, { maxLength: 2 }))
  .map(([half, rest]) => [half, ...rest]);
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ op: fc.constantFrom("=", "!="), path, value: literal }),
    fc.record({
      op: fc.constantFrom("<", "<=", ">", ">="),
      path,
      value: fc.oneof(numbers, fc.constantFrom(...texts)),
    }),
    fc.record({ op: fc.constant("exists"), path }),
    fc.record({ op: fc.constant("not"), of: tie("tree") }),
    fc.record({ op: fc.constantFrom("and", "or"), left: tie("tree"), right: tie("tree") }),
  ) as fc.Arbitrary<Tree>,
}));

/** Prints a tree with parentheses only where the precedence needs them. */
function print(of: Tree, above = 0): string {
  const printPath = (parts: readonly string[]) =>
    parts.map((part) => (/^\w+$/.test(part) ? part : JSON.stringify(part))).join(".");
  const wrap = (own: number, text: string) => (own < above ? `(${text})` : text);
  switch (of.op) {
    case "or":
      return wrap(1, `${print(of.left, 1)} or ${print(of.right, 1)}`);
    case "and":
      return wrap(2, `${print(of.left, 2)} AND ${print(of.right, 2)}`);
    case "not":
      return `not ${print(of.of, 3)}`;
    case "exists":
      return `${printPath(of.path)} exists`;
    default:
      return `${printPath(of.path)}${of.op} ${JSON.stringify(of.value)}`;
  }
}

/** The oracle: what a query means, on plain JSON. */
function holds(of: Tree, document: Plain): boolean {
  if (of.op === "or") return holds(of.left, document) || holds(of.right, document);
  if (of.op === "and") return holds(of.left, document) && holds(of.right, document);
  if (of.op === "not") return !holds(of.of, document);
  // Entries find the keys of objects and the indexes of lists alike, and no inherited ones.
  const value = of.path.reduce<Plain | undefined>(
    (at, part) =>
      at !== null && typeof at === "object"
        ? (Object.entries(at).find(([own]) => own === part)?.[1] as Plain | undefined)
        : undefined,
    document,
  );
  if (of.op === "exists") return value !== undefined;
  const same = of.value === null ? value === undefined || value === null : value === of.value;
  if (of.op === "=") return same;
  if (of.op === "!=") return !same;
  if (typeof value !== typeof of.value) return false;
  const [one, other] = [value, of.value] as [string, string];
  const lower = typeof value === "string" ? isLower(one, other) : one < other;
  if (of.op === "<") return lower;
  if (of.op === "<=") return lower || same;
  return of.op === ">" ? !lower && !same : !lower;
}

/** Dotted numbers with every part padded are ordered as strings. */
function isLower(one: string, other: string): boolean {
  const isVersion = (each: string) => each !== "" && each.split(".").every((part) => /^[0-9]+$/.test(part));
  const padded = (each: string) => each.replace(/[0-9]+/g, (part) => part.padStart(20, "0"));
  if (!isVersion(one) || !isVersion(other) || padded(one) === padded(other)) return one < other;
  return padded(one) < padded(other);
}

describe.each(["combined", "separate"] as const)("a search in the model %s", (model) => {
  let engine: DynamoPort;
  beforeAll(async () => {
    engine = await openEngine({ storage: { kind: "memory" } });
  });
  afterAll(() => engine.close());

  test("finds what an evaluation of every shadow finds", async () => {
    const states = fc.sample(fc.record({ reported: state, desired: state }), { numRuns: 120, seed: 7 });
    await ensureTable(engine, shadowTableSpec(`random-${model}`));
    const manager = openShadowManager(engine, { table: `random-${model}`, model });
    // A state is compared as JSON, so that a key of the state is never one of its prototype.
    const documents = states.map((each) => JSON.parse(JSON.stringify(each)) as { [half: string]: Plain });
    for (const [at, document] of documents.entries())
      unwrap(await manager.update({ id: `t${at}`, ...(document as Record<string, DocumentObject>) }));
    // As with AWS IoT, a half without keys is not there.
    const shown = documents.map((document) =>
      Object.fromEntries(Object.entries(document).filter(([, half]) => Object.keys(half ?? {}).length > 0)),
    );
    let matches = 0;
    await fc.assert(
      fc.asyncProperty(tree, fc.constantFrom(25, 1000), async (query, limit) => {
        const found: string[] = [];
        let token: string | undefined;
        do {
          const page = await manager.search({ query: print(query), limit, token });
          found.push(...page.shadows.map(({ id }) => id));
          ({ token } = page);
        } while (token !== undefined);
        const expected = shown.flatMap((document, at) => (holds(query, document) ? [`t${at}`] : []));
        expect(found.toSorted(), print(query)).toEqual(expected.toSorted());
        matches += found.length;
      }),
      { numRuns: 40, seed: 11 },
    );
    expect(matches).toBeGreaterThan(500);
  });
});

describe("a search", () => {
  test("reads a bounded number of items per page, and continues by its token", async () => {
    const world = await shadowWorld();
    const manager = openShadowManager(world.port, { table: world.table });
    const items = Array.from({ length: 1_050 }, (_, at) =>
      originalItem(`t${at}`, "DSC#", 1, { reported: { n: { N: String(at) } } }),
    );
    await Promise.all(items.map((item) => world.put(item)));
    const first = await manager.search({ query: "reported.none exists" });
    expect(first).toEqual({ shadows: [], token: expect.any(String) });
    const rest = await manager.search({ query: "reported.none exists", token: first.token });
    expect(rest).toEqual({ shadows: [] });
    const numbers: bigint[] = [];
    let token: string | undefined;
    do {
      const page = await manager.search({ query: "reported.n >= 1000", limit: 20, token });
      numbers.push(...page.shadows.map(({ state }) => BigInt(String(state.reported?.["n"]))));
      ({ token } = page);
    } while (token !== undefined);
    expect(numbers.toSorted()).toEqual(Array.from({ length: 50 }, (_, at) => BigInt(1000 + at)));
  });

  test("compares numbers by all their digits", async () => {
    const world = await shadowWorld();
    const manager = openShadowManager(world.port, { table: world.table });
    const big = { big: { N: "9007199254740993" }, small: { N: "0.12345678901234567890123" } };
    await world.put(originalItem("lamp", "DSC#", 1, { reported: big }));
    const matches = async (query: string) => (await manager.search({ query })).shadows.length === 1;
    expect(await matches("reported.big > 9007199254740992")).toBe(true);
    expect(await matches("reported.big = 9007199254740992")).toBe(false);
    expect(await matches("reported.big = 9.007199254740993e15")).toBe(true);
    expect(await matches("reported.small > 0.12345678901234567890122")).toBe(true);
    expect(await matches("reported.small > -1 and reported.small < 1e-1")).toBe(false);
  });

  test("leaves out corrupt and foreign items, and those of the other model", async () => {
    const world = await shadowWorld();
    const reported = { on: { BOOL: true } };
    await world.put(originalItem("good", "DSC#", 1, { reported }));
    await world.put(originalItem("corrupt", "DSC#", 1.5, { reported }));
    await world.put(originalItem("apart", "DSR#", 1, { reported }));
    await world.put({ PK: { S: "other" }, SK: { S: "item" }, Reported: { M: reported } });
    const search = async (model: "combined" | "separate") => {
      const manager = openShadowManager(world.port, { table: world.table, model });
      return (await manager.search({ query: "reported.on = true" })).shadows.map(({ id }) => id);
    };
    expect(await search("combined")).toEqual(["good"]);
    expect(await search("separate")).toEqual(["apart"]);
  });

  test("finds shadows by their delta, and returns it", async () => {
    const world = await shadowWorld();
    const manager = openShadowManager(world.port, { table: world.table });
    unwrap(await manager.update({ id: "behind", desired: { on: true }, reported: { on: false } }));
    unwrap(await manager.update({ id: "done", desired: { on: true }, reported: { on: true } }));
    const { shadows } = await manager.search({ query: "delta exists" });
    expect(shadows).toMatchObject([{ id: "behind", version: 1, delta: { on: true } }]);
  });

  test("ends by its signal and its deadline", async () => {
    const world = await shadowWorld();
    let passed = 0;
    const clock = { ...systemClock, monotonic: () => passed };
    const slow: DynamoPort = {
      ...world.port,
      scan: (input, options) => {
        passed += 600;
        return world.port.scan(input, options);
      },
    };
    const items = Array.from({ length: 250 }, (_, at) => originalItem(`t${at}`, "DSC#", 1, {}));
    await Promise.all(items.map((item) => world.put(item)));
    const query = "version = 2";
    const manager = openShadowManager(slow, { table: world.table, clock });
    // After half of its time a search returns what it has, and where to continue.
    expect(await manager.search({ query }, { deadlineMs: 1_000 })).toEqual({
      shadows: [],
      token: expect.any(String),
    });
    expect(await manager.search({ query }, { deadlineMs: 10_000 })).toEqual({ shadows: [] });
    const aborted = openShadowManager(world.port, { table: world.table });
    await expect(aborted.search({ query }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "ENGINE_ABORTED",
    });
  });

  test("rejects invalid options", async () => {
    const world = await shadowWorld();
    const manager = openShadowManager(world.port, { table: world.table });
    for (const request of [
      {},
      { query: "version = 1", limit: 0 },
      { query: 7 },
      { query: "version = 1", all: true },
    ])
      await expect(manager.search(request as never)).rejects.toMatchObject({ code: "SHADOW_OPTION_INVALID" });
    await expect(manager.search({ query: "version = 1", token: "x" })).rejects.toMatchObject({
      kind: "invalid",
    });
    const failure = await manager.search({ query: "version" }).catch((error: unknown) => error);
    expect(isShadowError(failure, "SHADOW_QUERY_INVALID") && failure.details.position).toBe(8);
  });
});

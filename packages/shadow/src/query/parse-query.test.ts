import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isShadowError } from "../model/shadow-error.ts";
import { parseQuery } from "./parse-query.ts";

function positionOf(query: string): number | undefined {
  try {
    parseQuery(query);
    return undefined;
  } catch (error) {
    if (isShadowError(error, "SHADOW_QUERY_INVALID")) return error.details.position;
    throw error;
  }
}

describe("a query", () => {
  test.each([
    ["", 1],
    ["reported.a", 11],
    ["reported.a =", 13],
    ["reported.a = and", 14],
    ["reported.a == 1", 13],
    ["reported.a = 'x'", 14],
    ['reported.a = "x', 14],
    ['reported.a = "\\x"', 14],
    ["reported. = 1", 1],
    ["reported.a.", 1],
    ["reported.a = 1.2.3", 14],
    ["reported.a = 1 reported.b = 2", 16],
    ["(reported.a = 1", 16],
    ["reported.a = 1)", 15],
    ["reported.a < null", 14],
    ["reported.a >= true", 15],
    ["state.a = 1", 1],
    ["state = 1", 1],
    ["state.thing = 1", 1],
    ["thing.a = 1", 1],
    ["not", 4],
    ["reported.a = 1 and", 19],
    ["reported.a # 1", 12],
    [`reported.a = "${"x".repeat(4_096)}"`, 4_097],
    [`${"(".repeat(60)}version = 1${")".repeat(60)}`, 52],
    [`${"not ".repeat(60)}version = 1`, 205],
  ])("%j is invalid at character %i", (query, position) => {
    expect(positionOf(query)).toBe(position);
  });

  test("binds not before and, and and before or", () => {
    const a = { kind: "exists", path: { root: "reported", keys: ["a"] } };
    const [b, c] = ["b", "c"].map((key) => ({ kind: "exists", path: { root: "reported", keys: [key] } }));
    expect(parseQuery("reported.a exists or NOT reported.b exists And reported.c exists")).toEqual({
      kind: "or",
      all: [a, { kind: "and", all: [{ kind: "not", condition: b }, c] }],
    });
  });

  test("may have the halves within the state, as documents do", () => {
    for (const path of ["reported.a", "desired.state.b", "delta"])
      expect(parseQuery(`state.${path} exists`)).toEqual(parseQuery(`${path} exists`));
  });

  test("has quoted keys, which may be keywords and hold dots", () => {
    expect(parseQuery('desired.and."a.b \\"c\\"".0 = -2.50')).toEqual({
      kind: "compare",
      path: { root: "desired", keys: ["and", 'a.b "c"', "0"] },
      operator: "=",
      value: -2.5,
    });
  });

  test("is parsed or rejected with a place within it, whatever it is", () => {
    const words = ["reported", ".a", " ", "(", ")", "and", "not", "=", "<=", '"', "1", "é", "exists", "\\"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 20 }), (parts) => {
        const query = parts.join("");
        const position = positionOf(query);
        if (position !== undefined) expect(position >= 1 && position <= query.length + 1).toBe(true);
      }),
    );
  });
});

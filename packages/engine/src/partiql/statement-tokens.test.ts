import { isDynamoError } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { tokenize } from "./statement-tokens.ts";

const kinds = (statement: string) => tokenize(statement).map(({ kind, text }) => `${kind} ${text}`.trim());

describe("tokens", () => {
  test("recognizes keywords in any case and keeps the case of names", () => {
    expect(kinds('select Name FROM "Select"')).toEqual([
      "keyword SELECT",
      "word Name",
      "keyword FROM",
      "quoted Select",
      "end",
    ]);
  });

  test("reads a doubled quote as one", () => {
    expect(kinds(`'it''s' "a""b" '' '''' `)).toEqual(["text it's", 'quoted a"b', "text", "text '", "end"]);
  });

  test("reads fractions and exponents, and signs as separate tokens", () => {
    expect(kinds("1 1.5 .5 1. 1e3 2E-7 -1")).toEqual([
      "number 1",
      "number 1.5",
      "number .5",
      "number 1.",
      "number 1e3",
      "number 2E-7",
      "symbol -",
      "number 1",
      "end",
    ]);
  });

  test("skips comments", () => {
    expect(kinds("a -- b ' \n /* c */ d /**/ e--")).toEqual(["word a", "word d", "word e", "end"]);
  });

  test.each(["'a", '"a', "`a", "a /* b", "a # b", "1e2147483648", "\0"])(
    "%j is not well formed",
    (statement) => {
      expect(() => tokenize(statement)).toThrow("Statement wasn't well formed, can't be processed: ");
    },
  );

  test("positions count lines and columns from one", () => {
    const [, second, third, end] = tokenize("SELECT 'a\nb'\n  c");
    expect(second?.position).toEqual({ line: 1, column: 8, length: 5 });
    expect(third?.position).toEqual({ line: 3, column: 3, length: 1 });
    expect(end?.position).toEqual({ line: 3, column: 4, length: 0 });
  });

  test.each(["'", '"', "`", "/*", "/* ", "''", "--", "\n", "<<", "1", "a", "?", "(", "-", "é", "'\""])(
    "8,192 characters of %j are tokenized or rejected",
    (piece) => {
      const statement = piece.repeat(8192 / piece.length).slice(0, 8192);
      try {
        expect(tokenize(statement).at(-1)?.kind).toBe("end");
      } catch (error) {
        expect(isDynamoError(error, "ValidationException")).toBe(true);
      }
    },
  );
});

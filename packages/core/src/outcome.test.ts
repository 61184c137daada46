import { describe, expect, test } from "vitest";
import { TablekeepError } from "./error.ts";
import { type Outcome, unwrap } from "./outcome.ts";

const error = new TablekeepError({ code: "X", kind: "conflict", message: "x", details: {} });

describe("unwrap", () => {
  test("returns the value of an ok outcome, and throws the error of any other", () => {
    expect(unwrap({ kind: "ok", value: 7 })).toBe(7);
    for (const kind of ["rejected", "conflict", "unknown"] as const)
      expect(() => unwrap({ kind, error })).toThrow(error);
  });

  test.each([[Promise.resolve({ kind: "ok", value: 7 })], [undefined], [null], [7]])(
    "throws a TypeError for what is not an outcome: %s",
    (given) => {
      expect(() => unwrap(given as unknown as Outcome)).toThrow(TypeError);
    },
  );
});

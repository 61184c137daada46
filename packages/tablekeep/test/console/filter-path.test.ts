import { expect, test } from "vitest";
import { pathOfName, stepsOfPath } from "../../console/tables/query/filter-path.ts";

test.each([
  ["city", ["city"]],
  ["address.city", ["address", "city"]],
  ["lines.0.text", ["lines", 0, "text"]],
  ["0", ["0"]],
  ['"user.name"', ["user.name"]],
  ['"user.name".first', ["user.name", "first"]],
  ['a."0"."x.y".1', ["a", "0", "x.y", 1]],
  ['"a\\".b"', ['a".b']],
  ['"open.b', ['"open', "b"]],
  ['"a"b.c', ['"a"b', "c"]],
  ["a..b", ["a", "", "b"]],
  ["a.", ["a", ""]],
])("%s is %j", (path, steps) => {
  expect(stepsOfPath(path)).toEqual(steps);
});

test.each(["plain", "user.name", '"quoted"', 'a"b.c', "\\.", "🚲.x"])("the name %s can be typed", (name) => {
  expect(stepsOfPath(pathOfName(name))).toEqual([name]);
});

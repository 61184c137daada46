import { expect, test } from "vitest";
import { boundaryOf } from "./boundary-of.ts";

test.each([
  ["multipart/mixed; boundary=abc", "abc"],
  ['multipart/mixed; charset=utf-8; boundary="a b;c"', "a b;c"],
  ['multipart/mixed;BOUNDARY="q\\"uote"', 'q"uote'],
  ["multipart/mixed; boundary=abc;", "abc"],
  ["multipart/mixed; boundary = abc", "abc"],
  ["multipart/mixed; boundary=", ""],
  ["multipart/mixed; boundary=a; boundary=b", ""],
  ["multipart/mixed; boundary=abc; bad", ""],
  ['multipart/mixed; boundary="open', ""],
  ["multi part/mixed; boundary=abc", ""],
  ["multipart/mixed/more; boundary=abc", ""],
  ["multipart/mixed", ""],
  ["", ""],
])("of %j it is %j, as Go reads it", (value, boundary) => {
  expect(boundaryOf(value)).toBe(boundary);
});

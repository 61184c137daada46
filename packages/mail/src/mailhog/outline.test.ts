import { expect, test } from "vitest";
import { boundaryOf } from "./outline.ts";

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
  ["multipart/mixed; boundary*=utf-8'en'a%20b", "a b"],
  ["multipart/mixed; boundary*=us-ascii''abc; boundary=other", "abc"],
  ["multipart/mixed; boundary*=iso-8859-1''abc", ""],
  ["multipart/mixed; boundary*=utf-8''a%2", ""],
  ['multipart/mixed; boundary*1="def"; boundary*0="abc"', "abcdef"],
  ["multipart/mixed; boundary*0*=utf-8''a%62; boundary*1*=%63; boundary*2=d; boundary*4=no", "abcd"],
  ["multipart/mixed; boundary*1=def", ""],
  ["multipart/mixed", ""],
  ["", ""],
])("%j has the boundary %j, as in Go", (value, boundary) => {
  expect(boundaryOf(value)).toBe(boundary);
});

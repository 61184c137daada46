import { expect, test } from "vitest";
import { parseHash, placeOf } from "../../console/shell/route.ts";

test.each([
  ["", "", [], ""],
  ["#/mail", "mail", [], ""],
  ["#/mail/", "mail", [], ""],
  ["#/mail/a%2Fb%20c?q=x%26y", "mail", ["a/b c"], "x&y"],
  ["#/mail/50%/x", "mail", ["50%", "x"], ""],
  ["#mail/x?q=a?b", "mail", ["x"], "a?b"],
])("%s is understood", (hash, screen, path, q) => {
  const route = parseHash(hash);
  expect([route.screen, route.path, route.query.get("q") ?? ""]).toEqual([screen, path, q]);
});

test("an address is parsed into the parts it was built from, without empty ones", () => {
  const place = placeOf(["journal", "a/b?c#d", "Ünï"], { q: "x & y", kind: "" });
  expect(place).toBe("#/journal/a%2Fb%3Fc%23d/%C3%9Cn%C3%AF?q=x+%26+y");
  expect(parseHash(place)).toMatchObject({ screen: "journal", path: ["a/b?c#d", "Ünï"] });
  expect(placeOf([])).toBe("#/");
});

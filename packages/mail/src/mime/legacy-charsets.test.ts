import { expect, test } from "vitest";
import { decodeLegacy, legacyWordsAsUtf8 } from "./legacy-charsets.ts";

// As Python encodes these texts.
test.each([
  ["utf-7", "Gr+APwA3w-e +- 2 +2D3eAA-", "Grüße + 2 😀"],
  ["UNICODE-1-1-UTF-7", "A+ImIDkQ.", "A≢Α."],
  ["utf-7", "1 + 1 +", "1 + 1 +"],
  ["hz-gb-2312", "~{VPND~}~~ a~\n b", "中文~ a b"],
  ["hz", "~{VP\nND", "中\nND"],
  ["iso-2022-kr", "\x1b$)Ca\x0eGQ19\x0f b\n\x0eGQ\nc", "a한국 b\n한\nc"],
  ["IBM-850", "\x81\xd5\xff", "üı\u00a0"],
  ["cp437", "\x9b\xe1", "¢ß"],
])("decodes %s: %j", (label, bytes, text) => {
  expect(decodeLegacy(Buffer.from(bytes, "latin1"), label)).toBe(text);
});

test("leaves other charsets to others", () => {
  expect(decodeLegacy(Buffer.from("a"), "utf-8")).toBeUndefined();
  expect(legacyWordsAsUtf8("=?utf-8?Q?=C3=BC?= =?x?Q?a?=")).toBe("=?utf-8?Q?=C3=BC?= =?x?Q?a?=");
});

test("rewrites encoded words in UTF-8, whatever their encoding and language", () => {
  const rewritten = `=?utf-8?B?${Buffer.from("ü b").toString("base64")}?=`;
  expect(legacyWordsAsUtf8("a =?ibm850*de?Q?=81_b?= c")).toBe(`a ${rewritten} c`);
  expect(legacyWordsAsUtf8(`=?IBM850?b?${Buffer.from("\x81 b", "latin1").toString("base64")}?=`)).toBe(
    rewritten,
  );
});

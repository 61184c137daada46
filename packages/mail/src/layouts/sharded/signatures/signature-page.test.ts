import type { Item } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { queryHashes, signatureOf } from "../../../search/signature.ts";
import { idsThatMayMatch, joinPages, pageBefore, pageBytes, signaturePage } from "./signature-page.ts";

function item(id: string, all?: string, text?: string): Item {
  const signed = (value: string | undefined) =>
    value === undefined ? undefined : { B: signatureOf({ texts: [value] }) ?? new Uint8Array() };
  return { sk: { S: id }, all: signed(all), text: signed(text) } as Item;
}

const newer = [item("5", "an apple"), item("4"), item("3", undefined, "a pear")];
const older = [item("2", "an apple pie"), item("1", "cider")];

describe.each([
  ["one page", signaturePage([...newer, ...older])],
  ["two pages that became one", joinPages([signaturePage(newer), signaturePage(older)])],
])("in %s", (_name, page) => {
  const found = (query: string, text = false) => idsThatMayMatch(page, queryHashes(query), text);

  test("a search returns ids that may match, and those without a signature", () => {
    expect(found("apple")).toEqual(["5", "4", "3", "2"]);
    expect(found("cider")).toEqual(["4", "3", "1"]);
  });

  test("a search for decoded text uses the text signature if there is one", () => {
    expect(found("pear", true)).toEqual(["4", "3"]);
    expect(found("apple", true)).toEqual(["5", "4", "2"]);
  });

  test("counts its memory", () => {
    expect(pageBytes(page)).toBeGreaterThan(4 * 64);
  });
});

test("the part of a page below an id finds the same as a page of these items", () => {
  const page = signaturePage([...newer, ...older]);
  for (const before of ["9", "5", "3", "2", "1"]) {
    const kept = [...newer, ...older].filter((each) => (each["sk"]?.S ?? "") < before);
    for (const query of ["apple", "cider", "pear"]) {
      const search = (each: typeof page) => idsThatMayMatch(each, queryHashes(query), true);
      expect(search(pageBefore(page, before))).toEqual(search(signaturePage(kept)));
    }
  }
});

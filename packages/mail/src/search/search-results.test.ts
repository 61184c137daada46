import { expect, test } from "vitest";
import { createSearchMemory } from "../model/search-memory.ts";
import { searchResults } from "./search-results.ts";

const search = (query: string) => ({ kind: "text", query }) as const;

test("results belong to one search", () => {
  const results = searchResults(10, createSearchMemory());
  results.of(search("plum")).add("1", true);
  results.of(search("plum")).add("2", false);
  expect(["1", "2", "3"].map((id) => results.of(search("plum")).get(id))).toEqual([true, false, undefined]);
  expect(results.of(search("pear")).get("1")).toBeUndefined();
  expect(results.of({ kind: "containing", query: "plum" }).get("1")).toBeUndefined();
});

test("the search that was used least recently is dropped first, also by too many searches", () => {
  const results = searchResults(4, createSearchMemory());
  for (const word of ["plum", "pear"]) for (const id of ["1", "2"]) results.of(search(word)).add(id, true);
  results.of(search("plum")).get("1");
  results.of(search("fig")).add("1", true);
  expect(["plum", "pear", "fig"].map((word) => results.of(search(word)).get("1"))).toEqual([
    true,
    undefined,
    true,
  ]);
  for (let at = 0; at < 200; at++) results.of(search(`word ${at}`));
  expect(results.of(search("plum")).get("1")).toBeUndefined();
});

test("a search with more results than fit keeps none of them later", () => {
  const results = searchResults(3, createSearchMemory());
  const plum = results.of(search("plum"));
  for (const id of ["1", "2", "3", "4", "5"]) plum.add(id, true);
  expect(plum.get("1")).toBe(true);
  expect(results.of(search("plum")).get("1")).toBeUndefined();
  results.of(search("plum")).add("6", true);
  expect(results.of(search("plum")).get("6")).toBe(true);
});

import { expect, test } from "vitest";
import { createSearchMemory } from "../../../model/search-memory.ts";
import { hourIds } from "./hour-ids.ts";
import type { Hour } from "./hours.ts";

const name = { era: "00000000", hour: "2050-01-01T09" };

function hour(given: Partial<Hour>): Hour {
  const whole = {
    shards: 1,
    generation: 0,
    version: { late: 0, removed: 0 },
    blocks: undefined,
    endsAt: 0,
    counted: undefined,
    expiring: false,
    settledBefore: "c",
    calm: true,
    unaddressed: false,
    quiet: false,
  };
  return { ...name, ...whole, writers: [], ...given };
}

test("ids are known while this instance is the only writer, in order, whatever the order of commits", () => {
  const ids = hourIds(100, createSearchMemory());
  for (const id of ["a", "c", "b", "d"]) ids.stored(name, id);
  const own = hour({ writers: [ids.writer] });
  expect(ids.of(own)).toEqual(["a", "b", "c", "d"]);
  expect(ids.of(hour({ writers: [ids.writer, "another"] }))).toBeUndefined();
  expect(ids.of({ ...own, expiring: true })).toBeUndefined();
  expect(ids.of({ ...own, era: "00000001" })).toBeUndefined();
});

test("a delete of this instance is known, and that of another is not", () => {
  const ids = hourIds(100, createSearchMemory());
  for (const id of ["a", "b", "c"]) ids.stored(name, id);
  ids.removed(name, ["b"]);
  const own = { writers: [ids.writer] };
  expect(ids.of(hour({ ...own, generation: 1 }))).toEqual(["a", "c"]);
  expect(ids.of(hour({ ...own, generation: 0 }))).toBeUndefined();
  expect(ids.of(hour({ ...own, generation: 2 }))).toBeUndefined();
});

test("an hour with an unknown outcome, and one that was dropped, stay unknown", () => {
  const ids = hourIds(3, createSearchMemory());
  ids.forget(name);
  ids.stored(name, "a");
  const own = { writers: [ids.writer] };
  expect(ids.of(hour(own))).toBeUndefined();
  const next = { ...name, hour: "2050-01-01T10" };
  const last = { ...name, hour: "2050-01-01T11" };
  for (const id of ["b", "c"]) ids.stored(next, id);
  for (const id of ["d", "e"]) ids.stored(last, id);
  expect(ids.of(hour({ ...own, ...next }))).toBeUndefined();
  expect(ids.of(hour({ ...own, ...last }))).toEqual(["d", "e"]);
  ids.stored(next, "late");
  expect(ids.of(hour({ ...own, ...next }))).toBeUndefined();
});

test("ids that were read are known once all have settled, and before that those that have", () => {
  const ids = hourIds(100, createSearchMemory());
  ids.put(hour({ generation: 4 }), ["a", "b", "c"]);
  expect(ids.of(hour({ generation: 4 }))).toBeUndefined();
  expect(ids.settledOf(hour({ generation: 4 }))).toEqual({ ids: ["a", "b"], before: "c" });
  expect(ids.settledOf(hour({ generation: 5 }))).toEqual({ ids: [], before: "" });
  ids.put(hour({ generation: 4, settledBefore: "~" }), ["a", "b", "c"]);
  expect(ids.of(hour({ generation: 4, settledBefore: "~" }))).toEqual(["a", "b", "c"]);
  expect(ids.of(hour({ generation: 5, settledBefore: "~" }))).toBeUndefined();
});

test("settled ids lose what this instance deletes, and do not get what it stores", () => {
  const ids = hourIds(100, createSearchMemory());
  ids.put(hour({ generation: 4 }), ["a", "b", "c"]);
  ids.stored(name, "d");
  ids.removed(name, ["a", "d"]);
  expect(ids.settledOf(hour({ generation: 5 }))).toEqual({ ids: ["b"], before: "c" });
  ids.forget(name);
  expect(ids.settledOf(hour({ generation: 5 }))).toEqual({ ids: [], before: "" });
});

test("the ids of an era are dropped when another one begins", () => {
  const ids = hourIds(3, createSearchMemory());
  const own = hour({ writers: [ids.writer] });
  for (const id of ["a", "b", "c"]) ids.stored(name, id);
  const later = { ...name, era: "00000001" };
  ids.stored(later, "d");
  ids.stored(name, "late");
  ids.forget(name);
  expect(ids.of(own)).toBeUndefined();
  for (const id of ["e", "f"]) ids.stored(later, id);
  expect(ids.of({ ...own, ...later })).toEqual(["d", "e", "f"]);
});

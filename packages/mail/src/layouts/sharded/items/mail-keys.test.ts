import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { firstIdAt, hourOf, hourStart, idSource, parseId } from "./mail-keys.ts";

test("ids sort by time and order of creation, and contain hour and shard", () => {
  const clock = fakeClock({ startAt: Date.UTC(2026, 10, 15, 7, 59, 59, 990) });
  const newId = idSource(clock, 3);
  const ids = Array.from({ length: 2000 }, (_, at) => {
    if (at % 100 === 99) clock.jump(1);
    return newId();
  });
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(parseId(ids[0] ?? "")).toMatchObject({
    hour: "2026-11-15T07",
    ms: Date.UTC(2026, 10, 15, 7, 59, 59, 990),
  });
  expect(parseId(ids.at(-1) ?? "")).toMatchObject({ hour: "2026-11-15T08" });
  expect(new Set(ids.map((id) => parseId(id)?.shard))).toEqual(new Set([0, 1, 2]));
  expect(ids.every((id) => id >= firstIdAt(parseId(id)?.ms ?? Number.NaN))).toBe(true);
});

test("ids keep increasing when the clock is set back a little, but not when it is set back far", () => {
  const clock = fakeClock({ startAt: Date.UTC(2026, 10, 15) });
  const newId = idSource(clock, 1);
  const first = newId();
  clock.jump(-500);
  const second = newId();
  expect(second > first).toBe(true);
  clock.jump(-60_000);
  expect(newId() < first).toBe(true);
});

test("strings that are not ids have no location", () => {
  for (const wrong of ["", "x", "8".repeat(26), `0${"i".repeat(25)}`, "0".repeat(27), "7".repeat(26)])
    expect(parseId(wrong)).toBeUndefined();
});

test("an hour starts at the time in its name", () => {
  expect(hourOf(hourStart("2026-11-15T07"))).toBe("2026-11-15T07");
  expect(hourOf(hourStart("2026-11-15T07") - 1)).toBe("2026-11-15T06");
  expect(hourOf(0)).toBe("1970-01-01T00");
  expect(hourOf(-1)).toBe("1969-12-31T23");
});

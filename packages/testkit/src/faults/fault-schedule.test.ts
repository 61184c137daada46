import { operationNames } from "@tablekeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Fault, type FaultSchedule, parseSchedule, printSchedule, TestkitError } from "../index.ts";

const count = (min: number) => fc.integer({ min, max: 1_000_000 });
const range = fc.oneof(
  count(1),
  fc.tuple(count(1), fc.nat({ max: 1_000 })).map(([from, more]) => [from, from + more] as const),
);
const word = fc.stringMatching(/^[\w.-]{1,30}$/);
const probability = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);
const place = {
  at: range,
  nth: range,
  op: fc.constantFrom(...operationNames),
  table: word,
  p: probability,
  times: count(1),
};
const plain = fc.constantFrom(
  "error-before-apply",
  "error-after-apply",
  "unreachable",
  "lost-before-apply",
  "lost-after-apply",
  "hang",
  "hang-after-apply",
);
const optional = (fields: Record<string, fc.Arbitrary<unknown>>, required: string[]) =>
  fc.record({ ...place, ...fields }, { requiredKeys: ["kind", ...required] as never[] });
const fault = fc.oneof(
  optional({ kind: plain }, []),
  optional({ kind: fc.constant("throttle"), exception: word, reason: word }, []),
  optional({ kind: fc.constant("refuse"), exception: word }, ["exception"]),
  optional(
    { kind: fc.constantFrom("delay", "delay-answer"), ms: fc.double({ min: 0, max: 1e9, noNaN: true }) },
    ["ms"],
  ),
  optional(
    {
      kind: fc.constant("unprocessed"),
      items: fc.array(fc.nat({ max: 99 })),
      share: probability,
      rounds: count(1),
    },
    [],
  ),
  optional({ kind: fc.constant("stale"), behind: count(1) }, []),
  optional({ kind: fc.constant("page-cut"), items: fc.nat({ max: 1_000 }) }, ["items"]),
  optional({ kind: fc.constant("transaction-conflict"), action: fc.nat({ max: 99 }) }, []),
  optional({ kind: fc.constant("transaction-canceled"), reasons: fc.array(word) }, ["reasons"]),
) as fc.Arbitrary<unknown> as fc.Arbitrary<Fault>;
const schedule: fc.Arbitrary<FaultSchedule> = fc.record({
  seed: fc.maxSafeNat(),
  faults: fc.array(fault, { maxLength: 6 }),
});

const reasonFor = (text: string): string => {
  try {
    parseSchedule(text);
  } catch (error) {
    if (error instanceof TestkitError && error.code === "TESTKIT_SCHEDULE_INVALID") return error.message;
    throw error;
  }
  return "accepted";
};

describe("a fault schedule", () => {
  test("is one line that reads back as the same schedule", () => {
    fc.assert(
      fc.property(schedule, (each) => {
        const line = printSchedule(each);
        expect(line).not.toContain("\n");
        expect(parseSchedule(line)).toEqual(each);
        expect(printSchedule(parseSchedule(line))).toBe(line);
      }),
      { numRuns: 2_000 },
    );
  });

  test("has this format", () => {
    const line = "seed=7 faults=[{at:17,op:PutItem,kind:lost-after-apply},{at:40..55,kind:throttle,p:.3}]";
    const parsed: FaultSchedule = {
      seed: 7,
      faults: [
        { at: 17, op: "PutItem", kind: "lost-after-apply" },
        { at: [40, 55], kind: "throttle", p: 0.3 },
      ],
    };
    expect(parseSchedule(line)).toEqual(parsed);
    expect(printSchedule(parsed)).toBe(line);
    expect(parseSchedule(" seed=7  faults=[ { kind : hang , at: 1 } , {kind:hang} ] ")).toEqual({
      seed: 7,
      faults: [{ kind: "hang", at: 1 }, { kind: "hang" }],
    });
  });

  test.each([
    ["", "expected seed=NUMBER"],
    ["seed=x faults=[]", "expected seed=NUMBER"],
    ["seed=99999999999999999999 faults=[]", "safe integer"],
    ["seed=1 faults=[{kind:melt}]", "kind must be one of throttle"],
    ["seed=1 faults=[{at:1}]", "kind must be one of"],
    ["seed=1 faults=[{kind:hang,at:0}]", "at of hang is «0»"],
    ["seed=1 faults=[{kind:hang,at:5..3}]", "at of hang is «5..3»"],
    ["seed=1 faults=[{kind:hang,at:1..2..3}]", "at of hang"],
    ["seed=1 faults=[{kind:hang,p:1.5}]", "a number from 0 to 1"],
    ["seed=1 faults=[{kind:hang,op:Put}]", "the name of an operation"],
    ["seed=1 faults=[{kind:hang,ms:5}]", "hang has no field ms"],
    ["seed=1 faults=[{kind:delay}]", "delay needs ms"],
    ["seed=1 faults=[{kind:page-cut,items:[1]}]", "items of page-cut"],
    ["seed=1 faults=[{kind:unprocessed,items:1}]", "items of unprocessed"],
    ["seed=1 faults=[{kind:hang,at:1,at:2}]", "at is given twice"],
    ["seed=1 faults=[{kind:hang}{kind:hang}]", "expected {…} or ,{…}"],
    ["seed=1 faults=[{kind:hang},]", "expected {…} or ,{…}"],
    ["seed=1 faults=[{kind:hang,__proto__:1}]", "hang has no field __proto__"],
  ])("%s is rejected with a reason", (text, reason) => {
    expect(reasonFor(text)).toContain(reason);
  });
});

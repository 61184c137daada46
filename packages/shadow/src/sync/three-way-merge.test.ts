import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DocumentObject, DocumentValue } from "../document/document-value.ts";
import { mergePatch } from "../merge/merge-patch.ts";
import {
  type ConflictRule,
  isSameState,
  mergeStates,
  plainState,
  type SyncedState,
  statePatch,
} from "./three-way-merge.ts";

const runs = { numRuns: Number(process.env["TABLEKEEP_PROPERTY_RUNS"] ?? 300) };
const key = fc.constantFrom("a", "b", "c", "__proto__");
const scalar = fc.oneof(fc.boolean(), fc.integer({ min: -2, max: 2 }), fc.constantFrom("", "x"));
const object: fc.Arbitrary<DocumentObject> = fc.letrec<{ value: DocumentValue; object: DocumentObject }>(
  (tie) => ({
    object: fc.dictionary(key, tie("value"), { maxKeys: 3 }),
    value: fc.oneof({ depthSize: "small" }, scalar, fc.array(scalar, { maxLength: 2 }), tie("object")),
  }),
).object;
const state: fc.Arbitrary<SyncedState> = fc.record(
  { desired: object, reported: object },
  { requiredKeys: [] },
);
const rule = fc.constantFrom<ConflictRule>("cloud", "local", "newest");

/** AWS IoT's own merge, as the stores have it. */
function patched(from: SyncedState, patch: SyncedState | undefined): SyncedState {
  const halves = (["desired", "reported"] as const).map((half) => {
    const log = { half, changes: [] };
    return [
      half,
      mergePatch({ state: from[half] ?? {}, metadata: {} }, patch?.[half] ?? {}, 1, log).state ?? {},
    ];
  });
  return Object.fromEntries(halves) as SyncedState;
}

/** The values of a state by their paths, for states without objects inside of halves. */
function flat({ desired = {}, reported = {} }: SyncedState): ReadonlyMap<string, string> {
  const of = (half: string, values: DocumentObject) =>
    Object.entries(values).map(([name, value]) => [`${half}/${name}`, JSON.stringify(value)] as const);
  return new Map([...of("desired", desired), ...of("reported", reported)]);
}

test("both sides are the same after their patches, whatever they had and by any rule", () => {
  fc.assert(
    fc.property(state, state, state, rule, (base, local, cloud, by) => {
      const { state: merged } = mergeStates(base, { state: local }, { state: cloud }, by);
      expect(isSameState(patched(local, statePatch(local, merged)), merged)).toBe(true);
      expect(isSameState(patched(cloud, statePatch(cloud, merged)), merged)).toBe(true);
    }),
    runs,
  );
});

test("what one side changed and the other did not is that side's", () => {
  fc.assert(
    fc.property(state, state, rule, (base, changed, by) => {
      const [one, other] = [{ state: changed }, { state: base }];
      for (const merged of [mergeStates(base, one, other, by), mergeStates(base, other, one, by)]) {
        expect(isSameState(merged.state, changed)).toBe(true);
        expect(merged.conflicts).toBe(0);
      }
    }),
    runs,
  );
});

test("no change of a value that only one side changed is lost, beside others that both changed", () => {
  const plain = fc.record({
    desired: fc.dictionary(fc.constantFrom("a", "b", "c", "d"), scalar),
    reported: fc.dictionary(fc.constantFrom("a", "b", "c", "d"), scalar),
  });
  fc.assert(
    fc.property(plain, plain, plain, rule, (base, local, cloud, by) => {
      const { state: merged, conflicts } = mergeStates(base, { state: local }, { state: cloud }, by);
      const [was, here, there, now] = [flat(base), flat(local), flat(cloud), flat(merged)];
      let both = 0;
      for (const path of new Set([...was.keys(), ...here.keys(), ...there.keys()])) {
        const [before, one, other] = [was.get(path), here.get(path), there.get(path)];
        if (one === before) expect(now.get(path)).toBe(other);
        else if (other === before || one === other) expect(now.get(path)).toBe(one);
        else {
          both++;
          expect([one, other]).toContain(now.get(path));
          if (by !== "newest") expect(now.get(path)).toBe(by === "local" ? one : other);
        }
      }
      expect(conflicts).toBe(both);
    }),
    runs,
  );
});

test("the patch of a state to itself is none", () => {
  fc.assert(
    fc.property(state, (one) => {
      expect(statePatch(one, one)).toBeUndefined();
      expect(isSameState(patched({}, statePatch({}, one)), one)).toBe(true);
    }),
    runs,
  );
});

describe("a value that both sides changed", () => {
  const base = { desired: { level: 1, color: { r: 1, g: 1 } } };
  const local = { desired: { level: 2, color: { r: 2, g: 1 } } };
  const cloud = { desired: { level: 3, color: { r: 1, g: 3 } } };

  test.each([
    ["cloud", 3],
    ["local", 2],
  ] as const)("is that of the side that the rule %s names, and the rest of both stays", (by, level) => {
    const { state: merged, conflicts } = mergeStates(base, { state: local }, { state: cloud }, by);
    expect(merged).toEqual({ desired: { level, color: { r: 2, g: 3 } } });
    expect(conflicts).toBe(1);
  });

  test.each([
    [10, 9, 2],
    [9, 10, 3],
    [10, 10, 3],
  ])("is the newer one by the rule newest: %d here, %d in the cloud", (here, there, level) => {
    const one = { state: local, times: { desired: { level: here } } };
    const other = { state: cloud, times: { desired: { level: there } } };
    expect(mergeStates(base, one, other, "newest").state.desired?.["level"]).toBe(level);
  });

  test("is the one that was set, by the rule newest, if the other side removed it", () => {
    const gone = { state: { desired: {} } };
    const set = { state: cloud, times: { desired: { level: 1 } } };
    expect(mergeStates(base, gone, set, "newest").state).toEqual({ desired: { level: 3, color: { g: 3 } } });
    expect(mergeStates(base, set, gone, "newest").state).toEqual({ desired: { level: 3, color: { g: 3 } } });
  });
});

test("an object that one side removed keeps what the other changed in it, if the rule says so", () => {
  const base = { reported: { a: { x: 1, y: 1 } } };
  const [gone, changed] = [{ state: {} }, { state: { reported: { a: { x: 2, y: 1 } } } }];
  expect(mergeStates(base, gone, changed, "cloud").state).toEqual({ reported: { a: { x: 2 } } });
  expect(mergeStates(base, gone, changed, "local").state).toEqual({});
});

test("nulls, bytes and sets of other programs are what JSON has for them", () => {
  const state = { reported: { a: null, b: Buffer.from("x"), c: new Set([1]), d: { e: null } } };
  expect(plainState(state)).toEqual({ reported: { b: "eA==", c: [1], d: {} } });
});

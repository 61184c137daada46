import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type DocumentObject,
  type DocumentValue,
  isEmpty,
  isList,
  isObject,
  isSameValue,
  valueAt,
} from "../document/document-value.ts";
import { acknowledge } from "./acknowledge.ts";
import { deltaMetadata, deltaOf } from "./delta.ts";
import { mergeByTime } from "./merge-by-time.ts";
import { mergePatch } from "./merge-patch.ts";
import type { DocumentMetadata, MetadataObject } from "./metadata.ts";

const runs = { numRuns: Number(process.env["TABLEKEEP_PROPERTY_RUNS"] ?? 300) };
const key = fc.constantFrom("a", "b", "c", "__proto__", "a/b");
const scalar = fc.oneof(fc.boolean(), fc.integer({ min: -2, max: 2 }), fc.constantFrom("", "x", 0.5));
/** Documents over few keys and values, so that they meet; with nulls they are patches. */
const documentsOf = (leaf: fc.Arbitrary<DocumentValue>): fc.Arbitrary<DocumentObject> =>
  fc.letrec<{ value: DocumentValue; object: DocumentObject }>((tie) => ({
    object: fc.dictionary(key, tie("value"), { maxKeys: 3 }),
    value: fc.oneof({ depthSize: "small" }, leaf, fc.array(scalar, { maxLength: 2 }), tie("object")),
  })).object;
const state = documentsOf(scalar);
const patch = documentsOf(fc.oneof(scalar, fc.constant(null)));

const log = () => ({ half: "desired" as const, changes: [] });

/** Whether all of `part` is in `whole`: the plain definition that the delta is held to. */
function isWithin(part: DocumentObject, whole: DocumentObject): boolean {
  return Object.entries(part).every(([name, value]) => {
    const found = valueAt(whole, name);
    return isObject(value) && isObject(found)
      ? isWithin(value, found)
      : found !== undefined && isSameValue(value, found);
  });
}

function mirrors(value: DocumentValue, metadata: DocumentMetadata | undefined): boolean {
  if (isEmpty(value)) return typeof metadata === "number";
  if (isObject(value)) {
    const names = Object.keys(value);
    return (
      typeof metadata === "object" &&
      !Array.isArray(metadata) &&
      names.length === Object.keys(metadata).length &&
      names.every((name) => mirrors(valueAt(value, name) ?? null, valueAt(metadata as MetadataObject, name)))
    );
  }
  if (isList(value))
    return (
      Array.isArray(metadata) &&
      value.length === metadata.length &&
      value.every((each, at) => mirrors(each, metadata[at]))
    );
  return typeof metadata === "number";
}

test("the delta is empty exactly when all desired values are reported", () => {
  fc.assert(
    fc.property(state, state, (desired, reported) => {
      expect(deltaOf(desired, reported) === undefined).toBe(isWithin(desired, reported));
    }),
    runs,
  );
});

test("a device that applies the delta has nothing left to do, and applying it again changes nothing", () => {
  fc.assert(
    fc.property(state, state, (desired, reported) => {
      const delta = deltaOf(desired, reported) ?? {};
      const once = mergePatch({ state: reported, metadata: {} }, delta, 1, log()).state ?? {};
      expect(deltaOf(desired, once)).toBeUndefined();
      const twice = mergePatch({ state: once, metadata: {} }, delta, 1, log()).state ?? {};
      expect(isSameValue(once, twice)).toBe(true);
    }),
    runs,
  );
});

test.each([
  ["mergePatch", mergePatch],
  ["mergeByTime", mergeByTime],
])(
  "%s: metadata mirrors state, whatever is merged, and nothing that was given is changed",
  (_name, merge) => {
    fc.assert(
      fc.property(fc.array(patch, { maxLength: 4 }), (patches) => {
        const before = JSON.stringify(patches);
        let section: ReturnType<typeof mergePatch> = {};
        for (const [at, each] of patches.entries()) {
          section = merge(section, each, at + 1, log());
          expect(section.state === undefined).toBe(section.metadata === undefined);
          expect(section.state === undefined || mirrors(section.state, section.metadata)).toBe(true);
        }
        expect(JSON.stringify(patches)).toBe(before);
      }),
      runs,
    );
  },
);

test("merging the same patch twice is merging it once", () => {
  fc.assert(
    fc.property(state, patch, (before, each) => {
      const once = mergePatch({ state: before, metadata: {} }, each, 1, log());
      const twice = mergePatch(once, each, 1, log());
      expect(isSameValue(once.state ?? {}, twice.state ?? {})).toBe(true);
    }),
    runs,
  );
});

test("the metadata of a delta mirrors it", () => {
  fc.assert(
    fc.property(state, state, (desired, reported) => {
      const { state: wanted, metadata } = mergePatch({}, desired, 7, log());
      const delta = deltaOf(wanted, reported);
      if (delta !== undefined) expect(mirrors(delta, deltaMetadata(delta, metadata ?? {}))).toBe(true);
    }),
    runs,
  );
});

test("messages of any order leave the newest values", () => {
  const message = fc.record({
    seconds: fc.integer({ min: 1, max: 9 }),
    value: fc.integer({ min: 0, max: 9 }),
  });
  const distinct = fc.uniqueArray(message, {
    selector: ({ seconds }) => seconds,
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(distinct, (messages) => {
      let section: ReturnType<typeof mergePatch> = {};
      for (const { seconds, value } of messages)
        section = mergeByTime(section, { a: { b: value } }, seconds, log());
      const newest = messages.reduce((last, each) => (each.seconds > last.seconds ? each : last));
      expect(section.state).toEqual({ a: { b: newest.value } });
    }),
    runs,
  );
});

test("after an acknowledgment no desired value is reported, and nothing else is removed", () => {
  fc.assert(
    fc.property(state, state, (desired, reported) => {
      const section = mergePatch({}, desired, 1, log());
      const left = acknowledge(section, reported, { plain: true }, log());
      const again = acknowledge(left, reported, { plain: true }, log());
      expect(again).toBe(left);
      expect(left.state === undefined || isWithin(left.state, desired)).toBe(true);
      expect(deltaOf(desired, reported) ?? {}).toEqual(deltaOf(left.state, reported) ?? {});
    }),
    runs,
  );
});

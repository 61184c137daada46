import assert from "node:assert/strict";
import { isShadowError, type VersionConflict } from "../../model/shadow-error.ts";
import { both, errorCode, type ShadowCase, sole, stored, writes } from "./shadow-case.ts";

/** What a store must do. */
export const storeCases: readonly ShadowCase[] = [
  {
    name: "a shadow is created once, and every write raises its version by one",
    source: "promise: versions are consecutive",
    async run({ shadows, unique }) {
      const id = unique();
      await writes(shadows, both(id, { n: 1 }, 0), 1);
      await writes(shadows, both(id, { n: 2 }, 1), 2);
      await writes(shadows, both(id, { n: 3 }), 3);
      assert.deepEqual(await stored(shadows, id, "reported"), { n: 3 });
    },
  },
  {
    name: "a stale version is a conflict that names the current one, and nothing is written",
    source: "defect: the current version is not reported",
    async run({ shadows, model, unique }) {
      const id = unique();
      for (const version of [0, 1, 2]) await writes(shadows, both(id, { n: version }, version), version + 1);
      for (const expected of [0, 1, 2, 4]) {
        const outcome = sole(await shadows.write([both(id, "wrong", expected)]));
        assert.equal(outcome.kind, "conflict");
        assert.ok(outcome.kind === "conflict" && isShadowError(outcome.error, "SHADOW_VERSION_CONFLICT"));
        const kinds = model === "combined" ? ["combined"] : ["reported", "desired"];
        const conflicts = kinds.map((kind) => ({ kind, expected, current: 3 }) as VersionConflict);
        assert.deepEqual(outcome.error.details.conflicts, conflicts);
      }
      assert.deepEqual(await stored(shadows, id, "desired"), { n: 2 });
    },
  },
  {
    name: "a version of an absent shadow is not found, and creates nothing",
    source: "defect: a stale write brings a deleted shadow back",
    async run({ shadows, unique }) {
      const id = unique();
      assert.equal(errorCode(sole(await shadows.write([both(id, {}, 5)]))), "SHADOW_NOT_FOUND");
      await writes(shadows, both(id, {}, 0), 1);
      assert.equal(sole(await shadows.delete([{ id }])).kind, "ok");
      assert.equal(errorCode(sole(await shadows.write([both(id, {}, 1)]))), "SHADOW_NOT_FOUND");
      assert.equal(errorCode(sole(await shadows.read([{ id }]))), "SHADOW_NOT_FOUND");
    },
  },
  {
    name: "a shadow that is created again continues from its old version",
    source: "AWS: the version of a deleted shadow is remembered",
    async run({ shadows, unique }) {
      const id = unique();
      for (const version of [0, 1]) await writes(shadows, both(id, {}, version), version + 1);
      const versions = { reported: 2, desired: 2 };
      const gone = sole(await shadows.delete([{ id, version: versions }]));
      assert.deepEqual(gone.kind === "ok" && gone.value.versions, versions);
      await writes(shadows, both(id, {}, 0), 3);
      assert.equal(sole(await shadows.delete([{ id }])).kind, "ok");
      await writes(shadows, both(id, {}), 4);
    },
  },
  {
    name: "of concurrent writers with one version exactly one succeeds, the others get a conflict",
    source: "promise: no update is lost",
    async run(world) {
      const id = world.unique();
      const stores = [world, await world.another(), await world.another(), await world.another()];
      for (let round = 0; round < 4; round++) {
        const outcomes = await Promise.all(
          stores.map(async ({ shadows }, writer) =>
            sole(await shadows.write([both(id, { writer, round }, round)])),
          ),
        );
        const kinds = outcomes.map(({ kind }) => kind);
        assert.deepEqual(kinds.toSorted(), ["conflict", "conflict", "conflict", "ok"]);
        assert.deepEqual(await stored(world.shadows, id, "reported"), { writer: kinds.indexOf("ok"), round });
      }
    },
  },
  {
    name: "all unconditional writers succeed, each with its own version",
    source: "promise: no update is lost",
    async run(world) {
      const id = world.unique();
      const stores = [world, await world.another(), await world.another()];
      const half = world.model === "combined" ? { reported: {}, desired: {} } : { reported: {} };
      const outcomes = await Promise.all(
        stores.map(async ({ shadows }) => sole(await shadows.write([{ id, ...half }]))),
      );
      const versions = outcomes.map((outcome) =>
        outcome.kind === "ok" ? outcome.value.versions.reported : 0,
      );
      assert.deepEqual(versions.toSorted(), [1, 2, 3]);
    },
  },
  {
    name: "returns values unchanged, numbers with all their digits",
    source: "defect: numbers past 2^53 are rounded",
    async run({ shadows, unique }) {
      const id = unique();
      const value = {
        text: "Grüße 😀",
        empty: "",
        nested: { list: [1, "two", true, null, { deep: [] }], object: {} },
        large: 9007199254740993n,
        small: 1e-100,
        __proto: null,
      };
      await writes(shadows, both(id, value), 1);
      assert.deepEqual(await stored(shadows, id, "desired"), value);
    },
  },
  {
    name: "results are in the order of the operations, and a failure does not affect others",
    source: "defect: results are in no order, and a failed one takes others with it",
    async run({ shadows, unique }) {
      const [one, two, none] = [unique(), unique(), unique()];
      const results = await shadows.write([both(two, { n: 2 }), both(none, {}, 7), both(one, { n: 1 })]);
      assert.deepEqual(
        results.map(({ id, outcome }) => [id, outcome.kind]),
        [
          [two, "ok"],
          [none, "rejected"],
          [one, "ok"],
        ],
      );
      const read = await shadows.read([{ id: one }, { id: none }, { id: two }, { id: one }]);
      assert.deepEqual(
        read.map(({ id, outcome }) => [id, outcome.kind]),
        [
          [one, "ok"],
          [none, "rejected"],
          [two, "ok"],
          [one, "ok"],
        ],
      );
    },
  },
  {
    name: "rejects a document beyond 400 KB as too large",
    source: "promise: rejected with the right code, before it is sent",
    async run({ shadows, unique }) {
      const id = unique();
      const outcome = sole(await shadows.write([both(id, "x".repeat(410_000))]));
      assert.equal(errorCode(outcome), "SHADOW_TOO_LARGE");
      await writes(shadows, both(id, "x".repeat(190_000)), 1);
    },
  },
  {
    name: "a list has pages, whose tokens belong to it",
    source: "defect: tokens are not bound to their list",
    async run({ shadows, model, unique }) {
      const [id, other] = [unique(), unique()];
      for (const name of ["a", "b", "c"]) await writes(shadows, { ...both(id, {}), name }, 1);
      const rows = model === "combined" ? 3 : 6;
      const first = await shadows.list({ id, limit: rows - 1 });
      assert.equal(first.rows.length, rows - 1);
      const rest = await shadows.list({ id, limit: rows - 1, token: first.token });
      assert.deepEqual([rest.rows.length, rest.token], [1, undefined]);
      const names = [...first.rows, ...rest.rows].map(({ name }) => name);
      assert.deepEqual([...new Set(names)].toSorted(), ["a", "b", "c"]);
      await assert.rejects(shadows.list({ id: other, token: first.token }));
      assert.deepEqual(await shadows.duplicates(id), []);
    },
  },
  {
    name: "a shadow that exists in one model is not created in the other",
    source: "defect: both models of one shadow coexist",
    async run({ shadows, model, unique }) {
      const id = unique();
      await writes(shadows, both(id, {}), 1);
      const other = model === "combined" ? "separate" : "combined";
      const outcome = sole(await shadows.write([{ ...both(id, {}, 0), model: other }]));
      assert.equal(errorCode(outcome), "SHADOW_DUPLICATE_MODEL");
    },
  },
];

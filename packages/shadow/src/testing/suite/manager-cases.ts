import assert from "node:assert/strict";
import { unwrap } from "@tablekeep/core";
import { errorCode, type ShadowCase } from "./shadow-case.ts";

/** What a manager must do, whatever its policy. */
export const managerCases: readonly ShadowCase[] = [
  {
    name: "merges requests into the shadow",
    source: "AWS: merge rules",
    async run({ manager, unique }) {
      const id = unique();
      unwrap(await manager.report({ id, state: { a: 1, b: { c: 2, d: [1, 2] } } }));
      unwrap(await manager.report({ id, state: { a: null, b: { d: [3] } } }));
      unwrap(await manager.desire({ id, state: { x: true } }));
      const view = await manager.get({ id });
      assert.deepEqual(view?.state, { desired: { x: true }, reported: { b: { c: 2, d: [3] } } });
      assert.deepEqual(view?.delta, { x: true });
    },
  },
  {
    name: "metadata has the shape of the state",
    source: "AWS: metadata",
    async run({ manager, unique }) {
      const id = unique();
      const { current } = unwrap(await manager.report({ id, state: { a: 1, b: { c: ["x", "y"] } } }));
      const { a, b } = (current.metadata.reported ?? {}) as { a?: number; b?: { c?: number[] } };
      assert.ok(typeof a === "number" && a > 1_500_000_000);
      assert.deepEqual(b, { c: [a, a] });
      assert.deepEqual((await manager.get({ id }))?.metadata, current.metadata);
    },
  },
  {
    name: "applies all concurrent updates of many processes",
    source: "defect: no retry on conflict, though it is promised",
    async run(world) {
      const id = world.unique();
      const managers = [world.manager, (await world.another()).manager, (await world.another()).manager];
      const keys = Array.from({ length: 9 }, (_unused, at) => `k${at}`);
      await Promise.all(
        keys.map(async (key, at) =>
          unwrap(await (managers[at % 3] ?? world.manager).report({ id, state: { [key]: at } })),
        ),
      );
      const view = await world.manager.get({ id });
      assert.deepEqual(Object.keys(view?.state.reported ?? {}).toSorted(), keys);
      assert.equal(view?.versions.reported, 9);
    },
  },
  {
    name: "a request with a stale version fails at once",
    source: "AWS: versions",
    async run({ manager, unique }) {
      const id = unique();
      const version = { reported: 1 };
      unwrap(await manager.report({ id, state: { n: 1 }, version: { reported: 0 } }));
      const second = await manager.report({ id, state: { n: 9 }, version: { reported: 0 } });
      assert.equal(errorCode(second), "SHADOW_VERSION_CONFLICT");
      unwrap(await manager.report({ id, state: { n: 2 }, version }));
      const stale = await manager.report({ id, state: { n: 3 }, version });
      assert.equal(errorCode(stale), "SHADOW_VERSION_CONFLICT");
      assert.equal(
        errorCode(await manager.report({ id: unique(), state: {}, version })),
        "SHADOW_VERSION_CONFLICT",
      );
      assert.deepEqual((await manager.get({ id }))?.state.reported, { n: 2 });
    },
  },
  {
    name: "a deleted shadow does not exist, and its version is remembered",
    source: "AWS: a delete does not reset the version",
    async run({ manager, unique }) {
      const id = unique();
      for (const n of [1, 2]) unwrap(await manager.report({ id, state: { n } }));
      const gone = unwrap(await manager.delete({ id }));
      assert.equal(gone.version, 2);
      assert.equal(await manager.get({ id }), undefined);
      assert.equal(errorCode(await manager.delete({ id })), "SHADOW_NOT_FOUND");
      assert.equal(unwrap(await manager.report({ id, state: { n: 3 } })).current.version, 3);
      assert.deepEqual((await manager.get({ id }))?.state.reported, { n: 3 });
    },
  },
  {
    name: "a search finds the shadows that match, each once, over all pages",
    source: "promise: search by reported and desired values",
    async run({ manager, unique }) {
      const fleet = unique();
      const ids = Array.from({ length: 7 }, () => unique());
      for (const [at, id] of ids.entries()) {
        unwrap(await manager.report({ id, state: { fleet, firmware: `2.${at + 5}`, slow: at % 2 === 0 } }));
        if (at !== 3) unwrap(await manager.desire({ id, state: { level: at } }));
      }
      unwrap(await manager.desire({ id: ids[0] ?? "", name: "config", state: { fleet } }));
      const search = async (query: string, id?: string) => {
        const found: string[] = [];
        let token: string | undefined;
        do {
          const page = await manager.search({ query, id, limit: 2, token });
          assert.ok(page.shadows.length <= 2);
          found.push(...page.shadows.map((view) => `${ids.indexOf(view.id)}${view.name}`));
          ({ token } = page);
        } while (token !== undefined);
        return found.toSorted();
      };
      const own = `reported.fleet = ${JSON.stringify(fleet)}`;
      assert.deepEqual(await search(own), ["0", "1", "2", "3", "4", "5", "6"]);
      assert.deepEqual(await search(`${own} and reported.firmware >= "2.10"`), ["5", "6"]);
      assert.deepEqual(await search(`${own} and not desired.level exists`), ["3"]);
      assert.deepEqual(await search(`${own} and reported.slow = true and desired.level > 1`), [
        "2",
        "4",
        "6",
      ]);
      assert.deepEqual(await search("version >= 1", ids[0]), ["0", "0config"]);
      assert.deepEqual(await search('name = "config"', ids[0]), ["0config"]);
      assert.deepEqual(await search('name = "config"', ids[1]), []);
    },
  },
  {
    name: "reports changes with the change to each value",
    source: "promise: the change log and the change feed",
    async run({ manager, unique }) {
      const id = unique();
      const watched = manager.watch({ id });
      unwrap(await manager.report({ id, state: { a: 1, b: 2 } }));
      unwrap(await manager.report({ id, state: { a: null, b: 3, c: 4 } }));
      unwrap(await manager.delete({ id }));
      const kinds: string[] = [];
      for await (const change of watched) {
        if (change.kind === "deleted") break;
        kinds.push(change.update.changes.map(({ path, kind }) => `${path} ${kind}`).join(", "));
      }
      assert.deepEqual(kinds, ["/a added, /b added", "/a removed, /b updated, /c added"]);
    },
  },
  {
    name: "a desired value stays when it is reported, and the delta disappears",
    source: "AWS: delta",
    policy: "aws",
    async run({ manager, unique }) {
      const id = unique();
      unwrap(await manager.desire({ id, state: { on: true, level: 3 } }));
      unwrap(await manager.report({ id, state: { on: true } }));
      const view = await manager.get({ id });
      assert.deepEqual([view?.state.desired, view?.delta], [{ on: true, level: 3 }, { level: 3 }]);
      assert.equal(unwrap(await manager.report({ id, state: { on: true } })).current.version, 3);
    },
  },
  {
    name: "a desired value is removed when it is reported, even by a report that changes nothing",
    source: "defect: an unchanged report acknowledges nothing",
    policy: "acknowledge",
    async run({ manager, unique }) {
      const id = unique();
      unwrap(await manager.report({ id, state: { on: true } }));
      const wanted = unwrap(await manager.desire({ id, state: { on: true, level: 3 } }));
      // A new report acknowledges, not an earlier one.
      assert.deepEqual(wanted.current.state.desired, { on: true, level: 3 });
      const { current } = unwrap(await manager.report({ id, state: { on: true } }));
      assert.deepEqual(current.state, { desired: { level: 3 }, reported: { on: true } });
      const same = unwrap(await manager.report({ id, state: { on: true } }));
      assert.deepEqual([same.written, same.current.versions], [false, current.versions]);
    },
  },
  {
    name: "a late message does not overwrite a newer value",
    source: "promise: the times of values decide",
    policy: "acknowledge",
    async run({ manager, unique }) {
      const id = unique();
      const at = (value: number, second: number) => ({ value, timestamp: `2026-01-01T00:00:0${second}Z` });
      unwrap(await manager.report({ id, state: { t: at(1, 5), plain: 1 }, timestamp: 5_000 }));
      unwrap(await manager.report({ id, state: { t: at(2, 4), plain: 2 }, timestamp: 4_000 }));
      assert.deepEqual((await manager.get({ id }))?.state.reported, { t: at(1, 5), plain: 1 });
      unwrap(await manager.report({ id, state: { t: at(3, 6), plain: 3 }, timestamp: 6_000 }));
      assert.deepEqual((await manager.get({ id }))?.state.reported, { t: at(3, 6), plain: 3 });
    },
  },
];

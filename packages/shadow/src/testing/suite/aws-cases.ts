import assert from "node:assert/strict";
import { isTablekeepError } from "@tablekeep/core";
import { awsErrorOf } from "../../aws/aws-error.ts";
import { awsShadows } from "../../aws/aws-shadows.ts";
import type { ShadowCase, ShadowSuiteWorld } from "./shadow-case.ts";

const serviceIn = ({ manager, unique }: ShadowSuiteWorld) => {
  const shadow = { thingName: unique(), shadowName: "" };
  const service = awsShadows(manager);
  const statusOf = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => undefined,
      (failure: unknown) => failure,
    );
    if (!isTablekeepError(error))
      throw new assert.AssertionError({ message: "the request is rejected", actual: error });
    const { status, message } = awsErrorOf(error, shadow);
    return `${status} ${message}`;
  };
  const update = (document: unknown) => service.update(shadow, JSON.stringify(document));
  return { shadow, service, update, statusOf };
};

/** The responses of AWS IoT, according to its documentation. */
export const awsCases: readonly ShadowCase[] = [
  {
    name: "answers an update with its sections, the delta and the documents before and after",
    source: "AWS: device-shadow-document, device-shadow-mqtt",
    policy: "aws",
    async run(world) {
      const { service, shadow, update } = serviceIn(world);
      const first = await update({ state: { desired: { on: true } }, clientToken: "t1" });
      const { timestamp } = first.accepted;
      const desired = { on: { timestamp } };
      assert.deepEqual(first, {
        accepted: {
          state: { desired: { on: true } },
          metadata: { desired },
          version: 1,
          timestamp,
          clientToken: "t1",
        },
        delta: {
          state: { on: true },
          metadata: { on: { timestamp } },
          version: 1,
          timestamp,
          clientToken: "t1",
        },
        documents: {
          previous: null,
          current: { state: { desired: { on: true } }, metadata: { desired }, version: 1 },
          timestamp,
          clientToken: "t1",
        },
      });
      const second = await update({ state: { reported: { on: true } } });
      assert.equal(second.delta, undefined);
      assert.equal(second.documents["previous"] === null, false);
      const got = await service.get(shadow, '{"clientToken":"g"}');
      assert.deepEqual(
        [got["state"], got["version"], got["clientToken"]],
        [{ desired: { on: true }, reported: { on: true } }, 2, "g"],
      );
    },
  },
  {
    name: "null clears: a key, a half, the state; the shadow stays",
    source: "AWS: verified by its own tests",
    policy: "aws",
    async run(world) {
      const { service, shadow, update } = serviceIn(world);
      await update({ state: { desired: { a: 1, b: 2 }, reported: { c: 3 } } });
      await update({ state: { desired: { a: null } } });
      const removed = await update({ state: { reported: null } });
      assert.deepEqual(removed.accepted["state"], { reported: null });
      assert.deepEqual((await service.get(shadow))["state"], { desired: { b: 2 }, delta: { b: 2 } });
      const { accepted } = await update({ state: null });
      const { timestamp } = accepted;
      assert.deepEqual(accepted, { state: null, metadata: { timestamp }, version: 4, timestamp });
      const { timestamp: _at, ...rest } = await service.get(shadow);
      assert.deepEqual(rest, { state: {}, metadata: {}, version: 4 });
      await update({ state: {} });
      const deleted = await service.delete(shadow, '{"clientToken":"d"}');
      assert.deepEqual([deleted["version"], deleted["clientToken"]], [5, "d"]);
      assert.equal((await update({ state: { desired: {} } })).accepted["version"], 6);
    },
  },
  {
    name: "empty values have metadata of their shape, without a time",
    source: "AWS: metadata",
    policy: "aws",
    async run(world) {
      const { service, shadow, update } = serviceIn(world);
      const desired = { l: [], o: {}, m: [[], 1] };
      const { accepted, delta, documents } = await update({ state: { desired } });
      const { timestamp } = accepted;
      const times = { l: [], o: {}, m: [[], { timestamp }] };
      const { current } = documents as { current: { metadata: unknown } };
      const got = await service.get(shadow);
      assert.deepEqual(
        [accepted["metadata"], delta?.["metadata"], current.metadata, got["metadata"]],
        [{ desired: times }, times, { desired: times }, { desired: times }],
      );
    },
  },
  {
    name: "rejections have AWS's codes and wording",
    source: "AWS: device-shadow-error-messages",
    policy: "aws",
    async run(world) {
      const { service, shadow, update, statusOf } = serviceIn(world);
      const missing = `404 No shadow exists with name: '${shadow.thingName}'`;
      assert.equal(await statusOf(service.get(shadow)), missing);
      assert.equal(await statusOf(service.delete(shadow)), missing);
      const named = { ...shadow, shadowName: "bad name" };
      assert.equal(await statusOf(service.get(named)), "400 Invalid shadow name");
      const large = { state: { reported: { x: "x".repeat(8192) } } };
      const cases: readonly (readonly [unknown, string])[] = [
        [{}, "400 Missing required node: state"],
        [{ state: 1 }, "400 State node must be an object"],
        [{ state: { delta: {} } }, "400 State contains an invalid node: 'delta'"],
        [{ state: { desired: [] } }, "400 Desired node must be an object"],
        [{ state: { reported: "x" } }, "400 Reported node must be an object"],
        [{ state: { desired: { l: [1, null] } } }, "400 State contains an invalid node: 'l'"],
        [{ state: {}, version: -1 }, "400 Invalid version"],
        [{ state: {}, version: "1" }, "400 Invalid version"],
        [{ state: {}, clientToken: "x".repeat(65) }, "400 Invalid clientToken"],
        [{ state: { desired: { a: { b: { c: { d: { e: { f: 1 } } } } } } } }, "400 OK"],
        [
          { state: { desired: { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } } } },
          "400 JSON contains too many levels of nesting; maximum is 6",
        ],
        [large, "413 The payload exceeds the maximum size allowed"],
        [{ state: {}, version: 7 }, "409 Version conflict"],
      ];
      for (const [document, expected] of cases) {
        if (expected === "400 OK") await update(document);
        else assert.equal(await statusOf(update(document)), expected);
      }
      assert.equal(await statusOf(service.update(shadow, "{")), "400 Invalid JSON");
      const bytes = new Uint8Array([123, 255, 125]);
      assert.match(await statusOf(service.update(shadow, bytes)), /^415 /);
    },
  },
  {
    name: "named shadows are listed in pages, without the classic one",
    source: "AWS: ListNamedShadowsForThing",
    policy: "aws",
    async run(world) {
      const { service, shadow, statusOf } = serviceIn(world);
      const names = ["", "a", "b", "c"];
      for (const shadowName of names) await service.update({ ...shadow, shadowName }, '{"state":{}}');
      const { thingName } = shadow;
      const first = await service.listNamed({ thingName, pageSize: "2" });
      const rest = await service.listNamed({
        thingName,
        pageSize: "3",
        nextToken: String(first["nextToken"]),
      });
      assert.deepEqual([first["results"], rest["results"]], [["a", "b"], ["c"]]);
      assert.deepEqual((await service.listNamed({ thingName: world.unique() }))["results"], []);
      assert.equal(await statusOf(service.listNamed({ thingName, nextToken: "x" })), "400 Invalid nextToken");
      assert.equal(await statusOf(service.listNamed({ thingName, pageSize: "101" })), "400 Invalid pageSize");
    },
  },
];

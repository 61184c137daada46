import { isTablekeepError, type Outcome } from "@tablekeep/core";
import { faultyPort } from "@tablekeep/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openShadowManager, openShadows, type Shadows, type ShadowsOptions } from "../src/index.ts";
import { originalItem, type ShadowWorld, shadowWorld } from "./shadow-world.ts";

let world: ShadowWorld;
beforeEach(async () => {
  world = await shadowWorld();
});
afterEach(() => world.engine.close());

const both = { reported: { on: false }, desired: { on: true } };
const codeOf = (outcome: Outcome<unknown> | undefined) =>
  outcome === undefined || outcome.kind === "ok" ? outcome?.kind : outcome.error.code;
const codes = (results: readonly { outcome: Outcome<unknown> }[]) =>
  results.map(({ outcome }) => codeOf(outcome));
const withFaults = (schedule: string, options: ShadowsOptions = {}): Shadows =>
  world.openOn(faultyPort(world.engine, schedule), options);

describe("defects of the original that put data at risk:", () => {
  test("B1: a stale write does not bring a deleted shadow back", async () => {
    const shadows = world.open();
    for (const version of [0, 1, 2]) await shadows.write([{ id: "x", ...both, version }]);
    await shadows.delete([{ id: "x" }]);
    expect(codes(await shadows.write([{ id: "x", ...both, version: 3 }]))).toEqual(["SHADOW_NOT_FOUND"]);
    expect(codes(await shadows.write([{ id: "never", ...both, version: 5 }]))).toEqual(["SHADOW_NOT_FOUND"]);
    expect(codes(await shadows.read([{ id: "x" }, { id: "never" }]))).toEqual([
      "SHADOW_NOT_FOUND",
      "SHADOW_NOT_FOUND",
    ]);
  });

  test("B2: shadows whose ids and names concatenate to the same string are different", async () => {
    const shadows = world.open({ maxParallelism: 4 });
    const operations = [
      { id: "a", name: "bc", reported: { n: 1 }, desired: { n: 1 } },
      { id: "ab", name: "c", reported: { n: 2 }, desired: { n: 2 } },
    ];
    expect(codes(await shadows.write(operations))).toEqual(["ok", "ok"]);
    const read = await shadows.read(operations.map(({ id, name }) => ({ id, name })));
    expect(read).toMatchObject([
      { outcome: { value: { reported: { value: { n: 1 } }, desired: { value: { n: 1 } } } } },
      { outcome: { value: { reported: { value: { n: 2 } }, desired: { value: { n: 2 } } } } },
    ]);
  });

  test("B3: each operation has its own model; no shadow is created in both", async () => {
    const shadows = world.open();
    const results = await shadows.write([
      { id: "x", name: "sep", model: "separate", reported: { n: 1 } },
      { id: "x", name: "com", ...both },
      { id: "x", name: "com", model: "separate", reported: { n: 1 } },
      { id: "x", name: "sep", ...both },
    ]);
    expect(codes(results)).toEqual(["ok", "ok", "SHADOW_DUPLICATE_MODEL", "SHADOW_DUPLICATE_MODEL"]);
    expect((await world.items("x")).map(({ SK }) => SK?.S)).toEqual(["DSC#com", "DSR#sep"]);
    await world.put(originalItem("y", "DSC#t", 2, { reported: { n: { N: "1" } } }));
    await world.put(originalItem("y", "DSD#t", 1, { desired: { n: { N: "1" } } }));
    await world.put(originalItem("y", "DSC#other", 1, {}));
    expect(await shadows.duplicates("y")).toEqual(["t"]);
  });

  test("B4: every operation has a result, also two on one half", async () => {
    const shadows = world.open({ model: "separate" });
    const results = await shadows.write([
      { id: "x", reported: { n: 1 } },
      { id: "x", reported: { n: 2 } },
      { id: "x" },
    ]);
    expect(codes(results)).toEqual(["ok", "ok", "SHADOW_OPERATION_INVALID"]);
    expect(results[1]?.outcome).toMatchObject({ value: { versions: { reported: 2 } } });
    expect((await shadows.read([{ id: "x" }]))[0]?.outcome).toMatchObject({
      value: { reported: { value: { n: 2 } } },
    });
  });

  test("B5: a combined write checks the versions of both halves", async () => {
    const shadows = world.open();
    await shadows.write([{ id: "x", ...both, version: 0 }]);
    const write = (version: object) => shadows.write([{ id: "x", ...both, version }]);
    expect(codes(await write({ reported: 1, desired: 77 }))).toEqual(["SHADOW_OPERATION_INVALID"]);
    expect(codes(await write({ desired: 77 }))).toEqual(["SHADOW_VERSION_CONFLICT"]);
    expect(codes(await write({ reported: 1, desired: 1 }))).toEqual(["ok"]);
  });

  test("B6: the version of a shadow that is created again does not start again", async () => {
    const shadows = world.open();
    await shadows.write([{ id: "x", ...both, version: 0 }]);
    await shadows.delete([{ id: "x", version: 1 }]);
    expect((await shadows.write([{ id: "x", ...both, version: 0 }]))[0]?.outcome).toMatchObject({
      value: { versions: { reported: 2 } },
    });
    expect((await shadows.write([{ id: "x", ...both, version: 1 }]))[0]?.outcome).toMatchObject({
      error: { details: { conflicts: [{ kind: "combined", expected: 1, current: 2 }] } },
    });
  });

  test.each(["combined", "separate"] as const)(
    "B7: attributes of others survive a write, %s",
    async (model) => {
      const foreign = { Owner: { S: "me" }, Ttl: { N: "5" } };
      const kinds = model === "combined" ? ["DSC#"] : ["DSR#", "DSD#"];
      for (const kind of kinds) await world.put({ ...originalItem("x", kind, 1, {}), ...foreign });
      const shadows = world.open({ model });
      const version = { reported: 1, desired: 1 };
      expect(
        codes(
          await shadows.write([
            { id: "x", ...both, version },
            { id: "x", ...both },
          ]),
        ),
      ).toEqual(["ok", "ok"]);
      for (const item of await world.items("x"))
        expect(item).toMatchObject({ ...foreign, Version: { N: "3" } });
    },
  );
});

describe("false answers of the original:", () => {
  test("B8: an unreadable shadow is not reported as absent, and does not affect others", async () => {
    await world.open().write([
      { id: "a", ...both },
      { id: "b", ...both },
    ]);
    const shadows = withFaults("seed=1 faults=[{op:BatchGetItem,kind:unprocessed,items:[1],rounds:99}]");
    const results = await shadows.read([{ id: "a" }, { id: "b" }, { id: "none" }]);
    expect(codes(results)).toEqual(["ok", "SHADOW_READ_INCOMPLETE", "SHADOW_NOT_FOUND"]);
    const throttled = withFaults("seed=1 faults=[{kind:refuse,exception:AccessDeniedException}]");
    expect(codes(await throttled.read([{ id: "a" }]))).toEqual(["DYNAMO_ACCESS_DENIED"]);
  });

  test("B9: both halves in one call have their own versions, and their own results", async () => {
    const shadows = world.open({ model: "separate" });
    await shadows.write([
      { id: "x", reported: {} },
      { id: "x", reported: {} },
      { id: "x", desired: {} },
    ]);
    const half = (name: "reported" | "desired", version: number) => ({ id: "x", half: name, version });
    // As in the original, a read with version 0 accepts any version.
    expect(codes(await shadows.read([half("reported", 0), { id: "x", version: 0 }]))).toEqual(["ok", "ok"]);
    const results = await shadows.read([
      half("reported", 2),
      half("desired", 1),
      half("desired", 2),
      half("reported", 1),
    ]);
    expect(codes(results)).toEqual(["ok", "ok", "SHADOW_VERSION_CONFLICT", "SHADOW_VERSION_CONFLICT"]);
    expect(
      codes(await shadows.delete([half("reported", 1), half("desired", 1), half("reported", 2)])),
    ).toEqual(["SHADOW_VERSION_CONFLICT", "ok", "ok"]);
  });

  test("B10: a missing table is not reported as an absent shadow", async () => {
    const shadows = openShadows(world.engine, { table: "missing" });
    const missing = "DYNAMO_RESOURCE_NOT_FOUND";
    expect(codes(await shadows.read([{ id: "x" }]))).toEqual([missing]);
    expect(codes(await shadows.write([{ id: "x", ...both }]))).toEqual([missing]);
    expect(codes(await shadows.delete([{ id: "x" }, { id: "x", version: 1 }]))).toEqual([missing, missing]);
    const manager = openShadowManager(world.engine, { table: "missing" });
    expect(codeOf(await manager.desire({ id: "x", state: {} }))).toBe(missing);
  });

  test("B11: a locked or throttled transaction is tried again; a conflict names the half", async () => {
    const first = world.open({ model: "separate" });
    await first.write([{ id: "x", ...both, version: 0 }]);
    const reasons = "reasons:[None,ThrottlingError]";
    const shadows = withFaults(
      `seed=1 faults=[{nth:1,op:TransactWriteItems,kind:transaction-conflict,action:1},{nth:2,op:TransactWriteItems,kind:transaction-canceled,${reasons}},{nth:1,op:UpdateItem,kind:transaction-conflict}]`,
      { model: "separate" },
    );
    const version = { reported: 1, desired: 1 };
    expect(codes(await shadows.write([{ id: "x", ...both, version }]))).toEqual(["ok"]);
    expect(codes(await shadows.write([{ id: "x", reported: {}, version: 2 }]))).toEqual(["ok"]);
    expect(await shadows.write([{ id: "x", ...both, version: { reported: 3, desired: 1 } }])).toMatchObject([
      {
        outcome: {
          kind: "conflict",
          error: { details: { conflicts: [{ kind: "desired", expected: 1, current: 2 }] } },
        },
      },
    ]);
  });

  test("B12: deleting an absent shadow is reported, with and without a version", async () => {
    const shadows = world.open();
    await shadows.write([{ id: "x", ...both }]);
    const results = await shadows.delete([
      { id: "no" },
      { id: "no", version: 1 },
      { id: "x", version: 2 },
      { id: "x" },
    ]);
    expect(codes(results)).toEqual(["SHADOW_NOT_FOUND", "SHADOW_NOT_FOUND", "SHADOW_VERSION_CONFLICT", "ok"]);
    expect(results[3]?.outcome).toMatchObject({ value: { versions: { reported: 1, desired: 1 } } });
  });

  test("B13: a shadow with two empty halves, or with halves that are not maps, exists", async () => {
    const shadows = world.open();
    await shadows.write([
      { id: "null", reported: null, desired: null, version: 0 },
      { id: "text", reported: "text", desired: [1], version: 0 },
    ]);
    const read = await shadows.read([{ id: "null" }, { id: "text" }]);
    expect(read.map(({ outcome }) => outcome)).toMatchObject([
      { value: { reported: { value: null }, desired: { value: null } } },
      { value: { reported: { value: "text" }, desired: { value: [1] } } },
    ]);
    expect(codes(await shadows.write([{ id: "null", ...both, version: 1 }]))).toEqual(["ok"]);
  });

  test("B14: reads are strong, and both halves can be read as of one moment", async () => {
    const shadows = withFaults("seed=1 faults=[{kind:stale,behind:9}]", { model: "separate" });
    await shadows.write([{ id: "x", reported: { n: 1 }, desired: { n: 1 } }]);
    await shadows.write([{ id: "x", reported: { n: 2 }, desired: { n: 2 } }]);
    for (const atomic of [false, true]) {
      const [result] = await shadows.read([{ id: "x" }], { atomic });
      expect(result?.outcome).toMatchObject({
        value: { reported: { value: { n: 2 } }, desired: { value: { n: 2 } } },
      });
    }
    expect((await shadows.list({ id: "x" })).rows.map(({ version }) => version)).toEqual([2, 2]);
    const { port, meter } = world;
    meter.reset();
    await world.openOn(port, { model: "separate" }).read([{ id: "x" }], { atomic: true });
    expect(meter.reset().byOperation).toMatchObject({ TransactGetItems: { requests: 1 } });
  });

  test("B15: foreign rows do not end a list", async () => {
    for (let n = 0; n < 40; n++) await world.put({ PK: { S: `OTHER#${n}` }, SK: { S: "DSC#x" } });
    const shadows = world.open();
    const ids = Array.from({ length: 6 }, (_, n) => `thing-${n}`);
    await shadows.write(ids.map((id) => ({ id, ...both })));
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const page = await shadows.list({ limit: 2, token });
      seen.push(...page.rows.map(({ id }) => id));
      token = page.token;
    } while (token !== undefined);
    expect(seen.toSorted()).toEqual(ids);
  });

  test("B16: a list of one thing has pages, and reads no documents into memory", async () => {
    const shadows = world.open();
    const names = Array.from({ length: 5 }, (_, n) => `n${n}`);
    await shadows.write(names.map((name) => ({ id: "x", name, ...both })));
    const first = await shadows.list({ id: "x", limit: 3 });
    expect(first.rows.map(({ name }) => name)).toEqual(["n0", "n1", "n2"]);
    const rest = await shadows.list({ id: "x", limit: 3, token: first.token });
    expect(rest.rows.map(({ name }) => name)).toEqual(["n3", "n4"]);
    expect(rest.token).toBeUndefined();
    for (const other of [{ id: "y" }, {}, { id: "x", kind: "combined" as const }])
      await expect(shadows.list({ ...other, token: first.token })).rejects.toMatchObject({ kind: "invalid" });
    await expect(shadows.list({ id: "x", token: "%%%" })).rejects.toMatchObject({ kind: "invalid" });
  });
});

describe("crashes of the original, and the contracts of its calls:", () => {
  test("B17: the defaults work: only a port is needed", async () => {
    expect(codes(await openShadows(world.engine).read([{ id: "x" }]))).toEqual(["DYNAMO_RESOURCE_NOT_FOUND"]);
  });

  test("B18, B19: manager and store work together, on the second report too", async () => {
    const manager = openShadowManager(world.engine, { table: world.table }, { policy: "acknowledge" });
    for (const n of [1, 2, 3]) expect((await manager.report({ id: "x", state: { n } })).kind).toBe("ok");
    expect((await manager.list({ id: "x" })).rows).toMatchObject([{ kind: "combined", version: 3 }]);
    expect((await manager.get({ id: "x" }))?.state).toEqual({ reported: { n: 3 } });
  });

  test("B20: the same shadow twice in one call is answered twice", async () => {
    const shadows = world.open();
    await shadows.write([{ id: "x", ...both }]);
    expect(codes(await shadows.read([{ id: "x" }, { id: "x" }, { id: "y" }]))).toEqual([
      "ok",
      "ok",
      "SHADOW_NOT_FOUND",
    ]);
    expect(codes(await shadows.delete([{ id: "x" }, { id: "x" }]))).toEqual(["ok", "SHADOW_NOT_FOUND"]);
  });

  test("B21: batches stay within DynamoDB's limits, whatever is asked for", async () => {
    const shadows = world.open({ maxReadBatchSize: 200, maxWriteBatchSize: 99, maxParallelism: 8 });
    const operations = Array.from({ length: 101 }, (_, n) => ({ id: `t${n}` }));
    expect(new Set(codes(await shadows.read(operations)))).toEqual(new Set(["SHADOW_NOT_FOUND"]));
    expect(new Set(codes(await shadows.delete(operations)))).toEqual(new Set(["SHADOW_NOT_FOUND"]));
  });

  test("B22: an invalid operation is rejected, and does not end the call", async () => {
    const shadows = world.open();
    await shadows.write([{ id: "x", ...both }]);
    const wrong = [
      {},
      { id: 1 },
      { id: "x", half: "both" },
      { id: "x", half: "desired" },
      { id: "x", version: -1 },
      { id: "x", version: "1" },
      { id: "x", model: 3 },
      { id: "x", nme: "y" },
      { id: "x".repeat(3000) },
    ];
    const results = await shadows.read([...(wrong as { id: string }[]), { id: "x" }]);
    expect(codes(results)).toEqual([...wrong.map(() => "SHADOW_OPERATION_INVALID"), "ok"]);
    expect(new Set(codes(await shadows.write(wrong.map((each) => ({ ...both, ...each })) as never)))).toEqual(
      new Set(["SHADOW_OPERATION_INVALID"]),
    );
    expect(
      codes(
        await shadows.write([
          { id: "x", reported: {} },
          { id: "x", desired: {} },
          { id: "x", reported: { n: Number.NaN }, desired: {} },
        ]),
      ),
    ).toEqual(["SHADOW_OPERATION_INVALID", "SHADOW_OPERATION_INVALID", "SHADOW_VALUE_INVALID"]);
    expect(codes(await shadows.write([{ id: "big", reported: "x".repeat(410_000), desired: null }]))).toEqual(
      ["SHADOW_TOO_LARGE"],
    );
    expect(codes(await world.open({ model: "separate" }).write([{ id: "s", ...both, version: 1 }]))).toEqual([
      "SHADOW_OPERATION_INVALID",
    ]);
  });

  test("B23: results are in the order of the operations, and name them, even after an abort", async () => {
    const shadows = world.open({ maxParallelism: 3 });
    const ids = ["c", "a", "b", "a"];
    const named = (results: readonly { id: string }[]) => results.map(({ id }) => id);
    expect(named(await shadows.write(ids.map((id) => ({ id, ...both }))))).toEqual(ids);
    expect(named(await shadows.read(ids.map((id) => ({ id }))))).toEqual(ids);
    const signal = AbortSignal.abort();
    const aborted = await shadows.write(
      ids.map((id) => ({ id, ...both })),
      { signal },
    );
    expect(named(aborted)).toEqual(ids);
    for (const { outcome } of aborted)
      expect(outcome.kind !== "ok" && isTablekeepError(outcome.error)).toBe(true);
    expect(
      named(
        await shadows.delete(
          ids.map((id) => ({ id })),
          { signal },
        ),
      ),
    ).toEqual(ids);
  });
});

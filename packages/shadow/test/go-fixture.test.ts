import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  DocumentObject,
  Half,
  ListedRow,
  OperationResult,
  ReadOperation,
  Shadow,
} from "../src/index.ts";
import { acknowledge } from "../src/merge/acknowledge.ts";
import { mergeByTime } from "../src/merge/merge-by-time.ts";
import type { ValueChange } from "../src/merge/value-change.ts";
import { differences, type GoResult, type GoStep, goExpected, goItems, goModel } from "./go-fixture.ts";
import { type ShadowWorld, shadowWorld } from "./shadow-world.ts";

let world: ShadowWorld;
beforeAll(async () => {
  world = await shadowWorld();
  for (const item of goItems) await world.put(item);
});
afterAll(() => world.engine.close());

const halves: readonly Half[] = ["reported", "desired"];

function operationFor({ id, name, modelType }: Pick<GoResult, "id" | "name" | "modelType">): ReadOperation {
  if (modelType === 0) return { id, name, model: "combined" };
  return { id, name, model: "separate", half: modelType === 1 ? "reported" : "desired" };
}

function shadowIn(result: OperationResult<Shadow> | undefined): Shadow {
  if (result?.outcome.kind !== "ok") throw result?.outcome.error ?? new Error("no result");
  return result.outcome.value;
}

describe("a table that the original wrote is read as the original reads it", () => {
  test.each(goExpected.reads)("id $id, name $name, model type $modelType", async (read) => {
    const shadow = shadowIn((await world.open().read([operationFor(read)]))[0]);
    for (const expected of read.results) {
      // The original finds nothing if both halves are NULL, or are not maps, although the item exists.
      if (expected.error !== undefined) {
        expect(expected.error.code).toBe(404);
        continue;
      }
      const stored = shadow[halves[expected.modelType - 1] as Half];
      expect(stored).toMatchObject({ version: expected.version, clientToken: expected.clientToken });
      expect(stored?.timeStamp).toBe(BigInt(expected.timestamp ?? ""));
      expect(differences(stored?.value, goModel(expected.modelText ?? ""))).toEqual([]);
    }
  });

  test("reads halves that are not maps, and halves that are NULL", async () => {
    const results = await world.open().read([
      { id: "dev-c3", name: "scalar" },
      { id: "dev-c3", name: "both-nil" },
      { id: "dev-s3", name: "nil", model: "separate" },
    ]);
    const values = results.map((each) => halves.map((half) => shadowIn(each)[half]?.value));
    expect(values).toEqual([
      ["just text", [1, 2]],
      [null, null],
      [null, null],
    ]);
  });

  test("numbers past 2^53 are exact", async () => {
    const { reported } = shadowIn((await world.open().read([{ id: "dev-c1", name: "kitchen" }]))[0]);
    expect(reported?.value).toMatchObject({
      AnyMap: { n: 9007199254740993n },
      MaxU64: 18446744073709551615n,
      MinI64: -9223372036854775808n,
      Number: { text: "12345678901234567890.123" },
      Bytes: new Uint8Array([0, 1, 254, 255]),
      ByteSet: new Set([new Uint8Array([1]), new Uint8Array([2, 3])]),
    });
  });
});

describe("it is listed as the original lists it", () => {
  const entries = ({ kind, id, name, version, timeStamp, clientToken }: ListedRow) =>
    (kind === "combined" ? [2, 1] : [kind === "desired" ? 2 : 1]).map((modelType) =>
      JSON.stringify({ id, name, modelType, version, timestamp: String(timeStamp), clientToken }),
    );
  const goEntry = ({ id, name, modelType, version, timestamp, clientToken }: GoResult) =>
    JSON.stringify({ id, name, modelType, version, timestamp, clientToken });
  const byId = goExpected.lists.filter(({ list }) => list.startsWith("id "));

  test.each(byId)("$list", async ({ options: { id }, items }) => {
    const { rows, token } = await world.open().list({ id });
    expect(rows.flatMap(entries).toSorted()).toEqual((items ?? []).map(goEntry).toSorted());
    expect(token).toBeUndefined();
  });

  test("in pages, the whole table, without foreign rows", async () => {
    const seen: string[] = [];
    let token: string | undefined;
    do {
      const page = await world.open().list({ limit: 7, token });
      expect(page.rows.length).toBeLessThanOrEqual(7);
      seen.push(...page.rows.flatMap(entries));
      token = page.token;
    } while (token !== undefined);
    const pages = goExpected.lists.filter(({ list }) => list.startsWith("whole table"));
    const all = pages.flatMap(({ items }) => (items ?? []).map(goEntry));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBe(all.length);
    expect(seen.toSorted()).toEqual(all.toSorted());
  });
});

test("rewritten items have the original's keys, attributes and types", async () => {
  const copy = await shadowWorld();
  for (const { id, name, modelType } of goExpected.reads) {
    const operation = operationFor({ id, name, modelType });
    const { reported, desired } = shadowIn((await world.open().read([operation]))[0]);
    const { half: _half, ...place } = operation;
    const [written] = await copy.open({ refuseDuplicates: false }).write([
      {
        ...place,
        version: 0,
        clientToken: (reported ?? desired)?.clientToken,
        ...(reported && { reported: reported.value }),
        ...(desired && { desired: desired.value }),
      },
    ]);
    expect(written?.outcome).toMatchObject({ kind: "ok" });
  }
  const comparable = (items: readonly Record<string, unknown>[]) =>
    items
      .filter(({ Version }) => Version !== undefined)
      .map(({ Version: _version, TimeStamp: _time, WriteId: _id, ...rest }) => rest);
  for (const id of new Set(goExpected.reads.map((read) => read.id)))
    expect(comparable(await copy.items(id))).toEqual(comparable(await world.items(id)));
  await copy.engine.close();
});

describe("late messages and acknowledged desires end as with the original", () => {
  const merges = goExpected.steps.filter(({ call }) => call === "merge");
  const kinds: Readonly<Record<ValueChange["kind"], string>> = {
    added: "add",
    updated: "update",
    removed: "remove",
    unchanged: "noop",
    acknowledged: "acknowledge",
  };
  const dotted = (path: string) => path.slice(1).replaceAll("/", ".");

  test.each(merges)("$step", (step: GoStep) => {
    const changes: ValueChange[] = [];
    const section = { state: step.old as DocumentObject, metadata: {} };
    const merged = mergeByTime(section, step.new as DocumentObject, 1, { half: "reported", changes });
    expect(merged.state).toEqual(step.merged);
    for (const { path, kind } of changes)
      expect([dotted(path), kinds[kind]]).toEqual([dotted(path), step.log?.[dotted(path)]?.op]);
    const acknowledged: ValueChange[] = [];
    const desired = { state: step.desiredBefore as DocumentObject, metadata: {} };
    const left = acknowledge(
      desired,
      merged.state,
      { plain: false },
      { half: "desired", changes: acknowledged },
    );
    expect(acknowledged.map(({ path }) => dotted(path))).toEqual(step.acknowledged ?? []);
    expect(withoutEmpty(left.state)).toEqual(withoutEmpty(step.desiredAfter as DocumentObject));
  });

  /** The original keeps maps that have become empty; here they go. */
  function withoutEmpty(state: DocumentObject | undefined): unknown {
    const entries = Object.entries(state ?? {});
    return Object.fromEntries(entries.filter(([, value]) => JSON.stringify(value) !== "{}"));
  }
});

/** A sync keeps the shadows of two stores the same, with crashes between any two requests and with other writers. */
import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, unwrap } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type SeededRandom, seededRandom } from "@tablekeep/testkit";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  awsShadows,
  type CloudShadows,
  type DocumentObject,
  isShadowError,
  openShadowManager,
  openShadowSync,
  parseJson,
  printJson,
  readSyncStatuses,
  type ShadowManager,
  type ShadowSync,
  type SyncRequest,
  type SyncStatus,
  shadowTableSpec,
} from "../src/index.ts";

const shadow = (id: string) => ({ id, name: "" });
let here: DynamoPort;
let local: ShadowManager;
let there: DynamoPort;
let remote: ShadowManager;
let id = "";
let runs = 0;

beforeAll(async () => {
  [here, there] = [
    await openEngine({ storage: { kind: "memory" } }),
    await openEngine({ storage: { kind: "memory" } }),
  ];
  for (const port of [here, there]) await ensureTable(port, shadowTableSpec());
  [local, remote] = [openShadowManager(here), openShadowManager(there)];
});
afterAll(async () => {
  await here.close();
  await there.close();
});
beforeEach(() => {
  id = `thing-${++runs}`;
});

/** The data plane of the other store: documents in, documents out, as over HTTP. */
function cloudOf(manager: ShadowManager): CloudShadows {
  const aws = awsShadows(manager);
  const named = ({ id: thingName, name: shadowName }: { id: string; name: string }) => ({
    thingName,
    shadowName,
  });
  const asJson = (document: object) => parseJson(printJson(document as DocumentObject)) as never;
  return {
    name: "cloud",
    async get(of) {
      try {
        const { state, version } = asJson(await aws.get(named(of)));
        return { state, version };
      } catch (error) {
        if (isShadowError(error, "SHADOW_NOT_FOUND")) return undefined;
        throw error;
      }
    },
    async update(of, patch, version) {
      try {
        const request = printJson({ state: { ...patch }, ...(version !== undefined && { version }) });
        const { accepted } = await aws.update(named(of), request);
        return Number(accepted["version"]);
      } catch (error) {
        if (isShadowError(error, "SHADOW_VERSION_CONFLICT")) return undefined;
        throw error;
      }
    },
    async delete(of) {
      await remote.delete(of);
    },
    names: async () => [],
  };
}

const open = (port = here, cloud = cloudOf(remote)): ShadowSync =>
  openShadowSync(port, openShadowManager(port), cloud);
const syncing = (request: Partial<SyncRequest> = {}, sync = open()) =>
  sync.sync({ ...shadow(id), ...request });

/** A process that ends at its nth request, before or after that was performed, and calls `meanwhile` before each. */
function mortal(
  stopAt: number,
  isAfter: boolean,
  meanwhile: () => Promise<void> = async () => {},
): ShadowSync {
  let count = 0;
  const ended = new Error("the process was killed");
  const guarded =
    <Args extends unknown[], Result>(request: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      count++;
      if (count > stopAt || (count === stopAt && !isAfter)) throw ended;
      await meanwhile();
      const result = await request(...args);
      if (count === stopAt) throw ended;
      return result;
    };
  const wrap = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(on, key) {
        const value: unknown = Reflect.get(on, key);
        return typeof value === "function" && key !== "close"
          ? guarded(value.bind(on) as () => Promise<unknown>)
          : value;
      },
    });
  return open(wrap(here), wrap(cloudOf(remote)));
}

const stateOf = async (manager: ShadowManager) => (await manager.get(shadow(id)))?.state;
const bothStates = async () => [await stateOf(local), await stateOf(remote)];

/** What is stored about the shadow. */
async function statusOf(): Promise<SyncStatus | undefined> {
  for await (const status of readSyncStatuses(here, "cloud")) if (status.id === id) return status;
  return undefined;
}

/** Syncs until there is nothing to do. */
async function settle(request: Partial<SyncRequest> = {}): Promise<void> {
  for (let round = 0; round < 10; round++) if ((await syncing(request)).kind === "same") return;
  throw new Error("the sync does not come to an end");
}

describe("a sync", () => {
  test("copies what each side changed, and leaves the other alone when nothing changed", async () => {
    await local.report({ id, state: { t: 20, on: true } });
    expect(await syncing()).toEqual({ kind: "synced", conflicts: 0 });
    await remote.desire({ id, state: { on: false } });
    await local.report({ id, state: { t: 21, on: null } });
    expect(await syncing()).toEqual({ kind: "synced", conflicts: 0 });
    const state = { desired: { on: false }, reported: { t: 21 } };
    expect(await bothStates()).toEqual([state, state]);
    const versions = [(await local.get({ id }))?.version, (await remote.get({ id }))?.version];
    expect(await syncing()).toEqual({ kind: "same", conflicts: 0 });
    expect([(await local.get({ id }))?.version, (await remote.get({ id }))?.version]).toEqual(versions);
    expect(await statusOf()).toMatchObject({
      localVersion: versions[0],
      cloudVersion: versions[1],
      syncedAt: expect.any(Number),
    });
  });

  test.each([
    ["cloud", 3],
    ["local", 2],
  ] as const)("decides by the rule %s about a value that both changed", async (conflicts, level) => {
    await local.desire({ id, state: { level: 1 } });
    await settle();
    await local.desire({ id, state: { level: 2 } });
    await remote.desire({ id, state: { level: 3, more: true } });
    expect(await syncing({ conflicts })).toEqual({ kind: "synced", conflicts: 1 });
    const state = { desired: { level, more: true } };
    expect(await bothStates()).toEqual([state, state]);
  });

  test("merges two shadows that were never synced", async () => {
    await local.desire({ id, state: { a: 1, b: 1 } });
    await remote.desire({ id, state: { b: 2, c: 2 } });
    await syncing();
    expect(await bothStates()).toEqual([
      { desired: { a: 1, b: 2, c: 2 } },
      { desired: { a: 1, b: 2, c: 2 } },
    ]);
  });

  test("makes no request to the cloud if nothing changed here, when it is asked to", async () => {
    await local.desire({ id, state: { a: 1 } });
    await settle();
    const away = { ...cloudOf(remote), get: () => Promise.reject(new Error("away")) };
    expect(await syncing({ onlyIfChangedHere: true }, open(here, away))).toEqual({
      kind: "same",
      conflicts: 0,
    });
    await local.desire({ id, state: { a: 2 } });
    await expect(syncing({ onlyIfChangedHere: true }, open(here, away))).rejects.toThrow("away");
  });

  test("in one direction copies the changes by one side, and no others", async () => {
    await local.desire({ id, state: { a: 1 } });
    await remote.desire({ id, state: { b: 1 } });
    await settle({ direction: "toCloud" });
    expect(await bothStates()).toEqual([{ desired: { a: 1 } }, { desired: { a: 1, b: 1 } }]);
    await remote.desire({ id, state: { a: 9 } });
    await settle({ direction: "toCloud" });
    expect(await bothStates()).toEqual([{ desired: { a: 1 } }, { desired: { a: 9, b: 1 } }]);
    await local.desire({ id, state: { a: 2 } });
    await settle({ direction: "toCloud" });
    expect(await bothStates()).toEqual([{ desired: { a: 2 } }, { desired: { a: 2, b: 1 } }]);
    await settle({ direction: "fromCloud" });
    expect(await stateOf(local)).toEqual({ desired: { a: 2, b: 1 } });
    await remote.delete({ id });
    await settle({ direction: "fromCloud" });
    expect(await bothStates()).toEqual([undefined, undefined]);
  });

  test("stores what one side rejects, and tries again when something changed or on request", async () => {
    const small = openShadowManager(there, {}, { limits: { stateBytes: 40 } });
    const sync = () => syncing({}, open(here, cloudOf(small)));
    await local.desire({ id, state: { a: "x".repeat(60) } });
    const rejected = { kind: "rejected", problem: expect.stringContaining("[SHADOW_TOO_LARGE]") };
    expect(await sync()).toMatchObject(rejected);
    const { version } = (await local.get({ id })) ?? {};
    expect(await sync()).toMatchObject(rejected);
    await local.desire({ id, state: { a: "short" } });
    expect(await sync()).toMatchObject({ kind: "synced" });
    expect(await bothStates()).toEqual([{ desired: { a: "short" } }, { desired: { a: "short" } }]);
    expect((await local.get({ id }))?.version).toBe((version ?? 0) + 1);
  });
});

describe("a shadow that one side deleted", () => {
  beforeEach(async () => {
    await local.desire({ id, state: { a: 1 } });
    await settle();
  });

  test("is deleted on the other", async () => {
    await local.delete({ id });
    await settle();
    expect(await bothStates()).toEqual([undefined, undefined]);
    await local.desire({ id, state: { b: 1 } });
    await settle();
    await remote.delete({ id });
    await settle();
    expect(await bothStates()).toEqual([undefined, undefined]);
    expect(await statusOf()).toBeUndefined();
  });

  test("is there again if the other has changed it since", async () => {
    await local.delete({ id });
    await remote.desire({ id, state: { a: 2 } });
    await settle();
    expect(await bothStates()).toEqual([{ desired: { a: 2 } }, { desired: { a: 2 } }]);
    await remote.delete({ id });
    await local.report({ id, state: { r: 1 } });
    await settle();
    const state = { desired: { a: 2 }, reported: { r: 1 } };
    expect(await bothStates()).toEqual([state, state]);
  });

  test("is deleted on both although its creation on the other was interrupted", async () => {
    const findings: unknown[] = [];
    for (const side of [local, remote])
      for (let n = 1; n <= 12; n++)
        for (const isAfter of [false, true]) {
          id = `thing-${++runs}`;
          await side.desire({ id, state: { a: 1 } });
          await syncing({}, mortal(n, isAfter)).catch(() => undefined);
          await side.delete({ id });
          await settle();
          const states = await bothStates();
          if (states.some((state) => state !== undefined))
            findings.push({ from: side === local, n, isAfter, states });
        }
    expect(findings).toEqual([]);
  });

  test("is deleted on both whichever request was the last before a crash", async () => {
    for (const [side, other] of [
      [local, remote],
      [remote, local],
    ] as const)
      for (let n = 1; n <= 8; n++)
        for (const isAfter of [false, true]) {
          id = `thing-${++runs}`;
          await other.desire({ id, state: { a: 1 } });
          await settle();
          await side.delete({ id });
          await syncing({}, mortal(n, isAfter)).catch(() => undefined);
          await settle();
          expect([n, isAfter, ...(await bothStates())]).toEqual([n, isAfter, undefined, undefined]);
        }
  });
});

test("after a crash at any request, what was changed meanwhile counts as a change of its side only", async () => {
  const findings: unknown[] = [];
  let stops = 0;
  for (const isNew of [false, true])
    for (const isAfter of [false, true])
      for (let n = 1; n <= 12; n++) {
        id = `thing-${++runs}`;
        if (!isNew) {
          await local.desire({ id, state: { mine: 0, yours: 0, both: 0 } });
          await settle();
        }
        await local.desire({ id, state: { mine: 1, both: "local" } });
        if (!isNew) await remote.desire({ id, state: { yours: 1, both: "cloud" } });
        await syncing({ conflicts: "cloud" }, mortal(n, isAfter)).catch(() => stops++);
        // The values that were on their way change again.
        await local.desire({ id, state: { mine: 2 } });
        await remote.desire({ id, state: { yours: 2 } });
        await settle({ conflicts: "cloud" });
        const expected = { desired: { mine: 2, yours: 2, both: isNew ? "local" : "cloud" } };
        const states = await bothStates();
        if (!states.every((state) => JSON.stringify(sorted(state)) === JSON.stringify(sorted(expected))))
          findings.push({ isNew, isAfter, n, states });
      }
  expect(findings).toEqual([]);
  expect(stops).toBeGreaterThan(20);
});

function sorted(state: { desired?: DocumentObject } | undefined) {
  return Object.entries(state?.desired ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1));
}

test.each(["cloud", "local", "newest"] as const)(
  "with random writes, crashes and two syncs at a time, both sides end the same and lose nothing: %s",
  async (conflicts) => {
    for (let seed = 0; seed < 4; seed++) await simulate(seededRandom(`sync ${conflicts} ${seed}`), conflicts);
  },
);

/** Each side has keys that only it writes; one key is written by both. Every value is written once. */
async function simulate(
  random: SeededRandom,
  conflicts: NonNullable<SyncRequest["conflicts"]>,
): Promise<void> {
  id = `thing-${++runs}`;
  let next = 0;
  const last = { local: new Map<string, number | null>(), cloud: new Map<string, number | null>() };
  const write = async () => {
    const side = random.chance(0.5) ? "local" : "cloud";
    const key = random.chance(0.25) ? "shared" : `${side}${random.int(0, 2)}`;
    const value = random.chance(0.2) ? null : ++next;
    // The half is the key's own: a key that only one side writes is in one place.
    unwrap(await (side === "local" ? local : remote).update({ id, reported: {}, desired: { [key]: value } }));
    last[side].set(key, value);
  };
  const meanwhile = async () => {
    if (random.chance(0.1)) await write();
  };
  // A creation in the cloud is not conditional: two syncs at a time could create it twice.
  await local.update({ id, desired: { first: true } });
  await settle({ conflicts });
  for (let step = 0; step < 15; step++) {
    for (let n = random.int(0, 3); n > 0; n--) await write();
    const process = () =>
      mortal(random.chance(0.5) ? random.int(1, 14) : 1_000, random.chance(0.5), meanwhile);
    const syncs = random.chance(0.3) ? [process(), process()] : [process()];
    await Promise.allSettled(syncs.map((sync) => syncing({ conflicts }, sync)));
  }
  await settle({ conflicts });
  const [one, other] = (await bothStates()).map((state) => state?.desired ?? {});
  expect(one).toEqual(other);
  for (const side of ["local", "cloud"] as const)
    for (const [key, value] of last[side])
      if (key !== "shared") expect([key, one?.[key] ?? null]).toEqual([key, value]);
  const shared = [last.local.get("shared"), last.cloud.get("shared")].map((value) => value ?? null);
  expect(shared).toContain(one?.["shared"] ?? null);
}

/** Shadows of one server are kept the same as those of another one, which stands for AWS IoT Core, over signed HTTP. */

import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:http";
import { SignatureV4 } from "@smithy/signature-v4";
import { ensureTable } from "@tablekeep/client";
import { silentLogger, systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import {
  changeFeed,
  openShadowManager,
  openShadowSync,
  type ShadowManager,
  shadowTableSpec,
} from "@tablekeep/shadow";
import { fakeClock } from "@tablekeep/testkit";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ShadowSyncConfig } from "../../src/server/setting-files/shadow-sync-file.ts";
import { readServiceStatuses } from "../../src/server/shadow/service-status.ts";
import { iotCloud, regionOf } from "../../src/server/shadow/sync/iot-cloud.ts";
import { RunningSync, type RunSyncOptions } from "../../src/server/shadow/sync/run-sync.ts";
import { signedHeaders } from "../../src/server/shadow/sync/sign-iot-request.ts";
import { SyncMetrics } from "../../src/server/shadow/sync/sync-metrics.ts";
import { startServer } from "../../src/server/start-server.ts";
import { readMetrics } from "../read-metrics.ts";
import { expireLease } from "./expire-lease.ts";
import { until } from "./packet-client.ts";

const without = { mail: false, journals: [], httpPort: 0, mqtt: false, dynamodb: false } as const;
const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "a secret key" };

let cloud: ShadowManager;
let endpoint = "";

async function openTable() {
  const engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, shadowTableSpec());
  return engine;
}

beforeAll(async () => {
  const engine = await openTable();
  cloud = openShadowManager(engine);
  const accessKeys = { [keys.accessKeyId]: keys.secretAccessKey };
  const server = await startServer({ port: engine, ...without, accessKeys });
  endpoint = server.listeners[0]?.url.replace(/\/$/, "") ?? "";
  return async () => {
    await server.stop();
    await engine.close();
  };
});

const source = (credentials = keys) => ({ get: async () => credentials, refresh: async () => credentials });
const cloudAt = (at = endpoint, credentials = keys) =>
  iotCloud({ endpoint: at, region: "eu-central-1", credentials: source(credentials), clock: systemClock });

/** A server whose shadows are synced with the cloud. */
async function startSynced(shadows: ShadowSyncConfig["shadows"], more: Partial<ShadowSyncConfig> = {}) {
  const sync = { endpoint, credentials: keys, everySeconds: 1, shadows, ...more };
  const server = await startServer({ memory: true, ...without, shadows: { sync } });
  onTestFinished(() => server.stop());
  const url = server.listeners[0]?.url ?? "";
  const at = (thing: string, name = "") => new URL(`/things/${thing}/shadow${name && `?name=${name}`}`, url);
  return {
    url,
    update: (thing: string, state: object, name?: string) =>
      fetch(at(thing, name), { method: "POST", body: JSON.stringify({ state }) }),
    async get(thing: string, name?: string) {
      const answer = await fetch(at(thing, name));
      const { state } = (await answer.json()) as { state?: { desired?: object; reported?: object } };
      return state && { desired: state.desired, reported: state.reported };
    },
    delete: (thing: string) => fetch(at(thing), { method: "DELETE" }),
  };
}

const inCloud = async (id: string, name = "") => (await cloud.get({ id, name }))?.state;

test("a change on either side is on the other soon, by the first entry that matches", async () => {
  await cloud.desire({ id: "one-way", state: { here: 1 } });
  // Before any shadow of the thing is here: its names in the cloud are listed then, and the next time after minutes.
  await cloud.desire({ id: "lamp-1", name: "named", state: { there: 1 } });
  const here = await startSynced([
    { things: "secret-*", direction: "fromCloud" },
    { things: "up-*", direction: "toCloud" },
    { things: "lamp-*", shadows: "*" },
    { things: "one-way" },
  ]);
  await here.update("lamp-1", { reported: { on: false }, desired: { on: true } });
  await here.update("lamp-1", { desired: { level: 7 } }, "$config");
  await here.update("up-1", { reported: { t: 1 } });
  await here.update("other", { reported: { t: 1 } });
  await here.update("secret-1", { reported: { t: 1 } });
  await expect.poll(() => inCloud("lamp-1")).toEqual({ reported: { on: false }, desired: { on: true } });
  await expect.poll(() => inCloud("lamp-1", "$config")).toEqual({ desired: { level: 7 } });
  await expect.poll(() => inCloud("up-1")).toEqual({ reported: { t: 1 } });
  // Found because another shadow of the thing is here.
  await expect.poll(() => here.get("lamp-1", "named")).toEqual({ desired: { there: 1 } });
  // Named without a pattern, so that it is read in the cloud although it is not here.
  await expect.poll(() => here.get("one-way")).toEqual({ desired: { here: 1 } });
  await cloud.desire({ id: "lamp-1", state: { on: null, color: "red" } });
  await cloud.desire({ id: "up-1", state: { ignored: true } });
  await expect.poll(() => here.get("lamp-1")).toEqual({ reported: { on: false }, desired: { color: "red" } });
  expect(await here.get("up-1")).toEqual({ reported: { t: 1 } });
  expect(await inCloud("other")).toBeUndefined();
  expect(await inCloud("secret-1")).toBeUndefined();
  await here.delete("lamp-1");
  await expect.poll(() => inCloud("lamp-1")).toBeUndefined();
  const { value } = await readMetrics(here.url);
  expect(value('tablekeep_shadow_syncs_total{outcome="synced"}')).toBeGreaterThanOrEqual(5);
});

test("a cloud that is away is waited for, and gets what changed meanwhile", async () => {
  const engine = await openTable();
  let isAway = true;
  let refused = 0;
  const busy = createServer((_request, response) =>
    response.writeHead(++refused % 2 === 0 ? 429 : 503).end(),
  );
  await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void busy.close());
  const away = cloudAt(`http://127.0.0.1:${(busy.address() as { port: number }).port}`);
  const back = cloudAt();
  const to: typeof back = { ...back, get: (...args) => (isAway ? away : back).get(...args) };
  const manager = openShadowManager(engine);
  const running = runSync(engine, manager, to, [{ things: "away-*" }]);
  for (let n = 1; n <= 5; n++) await manager.report({ id: "away-1", state: { n } });
  const status = async () => (await readServiceStatuses(engine, shadowTableSpec().name))[0]?.lines ?? [];
  await until(async () => refused >= 2 && (await status())[1]?.includes("unavailable") === true);
  expect((await status())[0]).toBe("1 shadow, 1 waiting, 0 rejected");
  isAway = false;
  await expect.poll(() => inCloud("away-1")).toEqual({ reported: { n: 5 } });
  await running.close();
  await engine.close();
});

test("without real time, changes and new shadows here are sent when the cloud is next read", async () => {
  const engine = await openTable();
  const manager = openShadowManager(engine);
  const clock = fakeClock();
  const metrics = new SyncMetrics();
  const config = { realtime: false, everySeconds: 10 };
  const shadows = [{ things: "later-up", direction: "toCloud" as const }, { things: "later-*" }];
  const running = runSync(engine, manager, cloudAt(), shadows, { config, clock, metrics });
  onTestFinished(async () => {
    await running.close();
    await engine.close();
  });
  const waiting = () => metrics.waiting();
  // The named one is looked for when the sync starts.
  await until(() => waiting() === 0 && clock.pending > 0);
  for (const n of [1, 2]) {
    for (const id of ["later-up", "later-1"]) await manager.report({ id, state: { n } });
    expect(waiting()).toBe(0);
    await clock.advance(10_000);
    for (const id of ["later-up", "later-1"])
      await until(async () => (await inCloud(id))?.reported?.["n"] === n);
    await until(() => waiting() === 0);
  }
});

interface SyncSettings extends Partial<Pick<RunSyncOptions, "clock" | "metrics" | "leaseMs">> {
  readonly config?: Partial<ShadowSyncConfig>;
}

/** The sync itself, with a short lease. */
function runSync(
  port: Parameters<typeof openShadowSync>[0],
  manager: ShadowManager,
  to: ReturnType<typeof iotCloud>,
  shadows: ShadowSyncConfig["shadows"],
  { config, clock = systemClock, metrics = new SyncMetrics(), leaseMs }: SyncSettings = {},
): RunningSync {
  const feed = changeFeed(() => {});
  manager.onChange((change) => feed.publish(change));
  const running = new RunningSync({
    config: { endpoint, shadows, everySeconds: 0.2, ...config },
    sync: openShadowSync(port, manager, to),
    cloud: to,
    manager,
    feed,
    metrics,
    port,
    table: shadowTableSpec().name,
    isShared: leaseMs !== undefined,
    clock,
    logger: silentLogger,
    ...(leaseMs !== undefined && { leaseMs }),
  });
  running.start();
  return running;
}

test("of two servers on one table one syncs; the other takes over when it is killed", async () => {
  const engine = await openTable();
  let isKilled = false;
  const requests: [number, number] = [0, 0];
  const mortal = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(on, key) {
        const value: unknown = Reflect.get(on, key);
        if (typeof value !== "function" || key === "close") return value;
        return (...args: unknown[]) =>
          isKilled
            ? Promise.reject(new Error("killed"))
            : (value as (...args: unknown[]) => unknown).apply(on, args);
      },
    });
  const counted = (at: 0 | 1) => {
    const to = cloudAt();
    return {
      ...to,
      async get(...args: Parameters<typeof to.get>) {
        requests[at]++;
        return to.get(...args);
      },
    };
  };
  const first = runSync(
    mortal(engine),
    openShadowManager(mortal(engine)),
    mortal(counted(0)),
    [{ things: "two-*" }],
    { leaseMs: 6_000 },
  );
  const writer = openShadowManager(engine);
  await writer.report({ id: "two-1", state: { n: 1 } });
  await until(() => requests[0] > 0);
  const second = runSync(engine, openShadowManager(engine), counted(1), [{ things: "two-*" }], {
    leaseMs: 6_000,
  });
  await cloud.desire({ id: "two-1", state: { m: 1 } });
  await expect.poll(async () => (await writer.get({ id: "two-1" }))?.state.desired).toEqual({ m: 1 });
  expect(requests[1]).toBe(0);
  isKilled = true;
  await expireLease(engine, "SYNC#lease");
  await writer.report({ id: "two-1", state: { n: 2 } });
  await expect.poll(() => inCloud("two-1")).toEqual({ reported: { n: 2 }, desired: { m: 1 } });
  expect(requests[1]).toBeGreaterThan(0);
  await first.close();
  await second.close();
  await engine.close();
});

describe("the data plane", () => {
  const shadow = { id: "plane:1", name: "$n" };

  test("is read, updated under a version, listed and deleted", async () => {
    const plane = cloudAt();
    expect(await plane.get(shadow, {})).toBeUndefined();
    expect(await plane.update(shadow, { desired: { big: 12345678901234567890n } }, undefined, {})).toBe(1);
    const found = await plane.get(shadow, {});
    expect(found).toEqual({
      version: 1,
      state: { desired: { big: 12345678901234567890n } },
      times: { desired: { big: expect.any(Number) } },
    });
    expect(await plane.update(shadow, { desired: { big: 1 } }, 7, {})).toBeUndefined();
    expect(await plane.update(shadow, { desired: { big: 1 } }, 1, {})).toBe(2);
    expect(await plane.names(shadow.id, {})).toEqual(["$n"]);
    await plane.delete(shadow, {});
    await plane.delete(shadow, {});
    expect(await plane.get(shadow, {})).toBeUndefined();
  });

  test("that rejects a request is an error of that shadow, with what to do", async () => {
    const wrong = cloudAt(endpoint, { ...keys, secretAccessKey: "wrong" });
    await expect(wrong.get(shadow, {})).rejects.toMatchObject({
      code: "SHADOW_CLOUD_REJECTED",
      details: { status: 403 },
    });
    const deep = { desired: { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } } };
    await expect(cloudAt().update(shadow, deep, undefined, {})).rejects.toMatchObject({
      code: "SHADOW_CLOUD_REJECTED",
      details: { status: 400 },
    });
  });

  test("does not exist where something else answers 404: no shadow counts as deleted by that", async () => {
    let answer: { status: number; type?: string | undefined; body: string } = {
      status: 404,
      body: "<html></html>",
    };
    const other = createServer((_request, response) => {
      const { status, type, body } = answer;
      response.writeHead(status, type === undefined ? {} : { "x-amzn-errortype": type }).end(body);
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    const plane = cloudAt(`http://127.0.0.1:${port}`);
    await expect(plane.get(shadow, {})).rejects.toMatchObject({
      code: "SHADOW_CLOUD_REJECTED",
      details: { status: 404 },
    });
    answer = { status: 404, type: undefined, body: '{"__type":"iot#ResourceNotFoundException"}' };
    expect(await plane.get(shadow, {})).toBeUndefined();
    answer = { status: 404, type: "ResourceNotFoundException:http://example.com/", body: "" };
    expect(await plane.get(shadow, {})).toBeUndefined();
    other.close();
    other.closeAllConnections();
    await expect(plane.get(shadow, {})).rejects.toMatchObject({
      code: "SHADOW_CLOUD_UNAVAILABLE",
      ambiguous: true,
    });
  });

  test("does not answer: the deadline and the signal end the request", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      silent.close();
      silent.closeAllConnections();
    });
    const { port } = silent.address() as { port: number };
    const plane = cloudAt(`http://127.0.0.1:${port}`);
    // Slow is fine: nothing answers, however long it takes.
    await expect(plane.get(shadow, { deadlineMs: 20 })).rejects.toMatchObject({
      code: "SHADOW_CLOUD_UNAVAILABLE",
    });
    await expect(plane.get(shadow, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
      "enough",
    );
  });

  test("is in the region of its host name", () => {
    expect(regionOf("https://a1b2-ats.iot.eu-central-1.amazonaws.com")).toBe("eu-central-1");
    expect(regionOf("https://a1b2.ats.iot.cn-north-1.amazonaws.com.cn")).toBe("cn-north-1");
    expect(regionOf("http://127.0.0.1:8025")).toBe("us-east-1");
  });
});

test("requests are signed as AWS's own signer signs them", async () => {
  class Sha256 {
    readonly #hash;
    constructor(secret?: string | Uint8Array) {
      this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret as string);
    }
    update(data: string | Uint8Array) {
      this.#hash.update(data);
    }
    async digest() {
      return new Uint8Array(this.#hash.digest());
    }
    reset() {}
  }
  const credentials = { ...keys, sessionToken: "a token" };
  const signer = new SignatureV4({
    service: "iotdata",
    region: "eu-central-1",
    credentials,
    sha256: Sha256 as never,
    applyChecksum: false,
  });
  const url = new URL("https://a1b2-ats.iot.eu-central-1.amazonaws.com/things/a%3Ab/shadow?name=%24c");
  const signingDate = new Date("2026-11-17T07:30:00Z");
  const body = '{"state":{}}';
  const { headers } = (await signer.sign(
    {
      method: "POST",
      protocol: "https:",
      hostname: url.hostname,
      path: "/things/a%3Ab/shadow",
      query: { name: "$c" },
      headers: { host: url.host },
      body,
    } as never,
    { signingDate },
  )) as unknown as { readonly headers: Readonly<Record<string, string>> };
  const ours = signedHeaders(
    { method: "POST", url, body },
    credentials,
    "eu-central-1",
    signingDate.getTime(),
  );
  expect(ours["authorization"]).toBe(headers["authorization"]);
});

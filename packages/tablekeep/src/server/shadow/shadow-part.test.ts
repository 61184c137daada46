import {
  ConflictException,
  DeleteThingShadowCommand,
  GetThingShadowCommand,
  InvalidRequestException,
  IoTDataPlaneClient,
  ListNamedShadowsForThingCommand,
  PublishCommand,
  ResourceNotFoundException,
  UpdateThingShadowCommand,
} from "@aws-sdk/client-iot-data-plane";
import { ensureTable } from "@tablekeep/client";
import { systemClock } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { hashSync } from "bcryptjs";
import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describedOperations, servedOperations } from "../../../test/served-operations.ts";
import { parseUsers } from "../auth/secret-files.ts";
import type { ServerOptions } from "../options/server-options.ts";
import { type RunningServer, startServer } from "../start-server.ts";
import { shadowRoutes } from "./shadow-routes.ts";

let engine: Engine;
let server: RunningServer;
let http: string;
let mqttUrl: string;
const clients: MqttClient[] = [];

async function start(options: Partial<ServerOptions> = {}): Promise<void> {
  server = await startServer({
    port: engine,
    journals: [],
    mail: false,
    httpPort: 0,
    mqttPort: 0,
    ...options,
  });
  const urlOf = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";
  http = urlOf("http").replace(/\/$/, "");
  mqttUrl = urlOf("mqtt");
}

beforeEach(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, shadowTableSpec());
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.endAsync(true);
  await server.stop();
  await engine.close();
});

async function mqtt(options: object = {}, url = mqttUrl): Promise<MqttClient> {
  const client = await connectAsync(url, { reconnectPeriod: 0, ...options }, false);
  client.on("error", () => {});
  clients.push(client);
  return client;
}

const ended = (client: MqttClient) => new Promise<void>((resolve) => client.once("close", resolve));

/** Collects the messages that a client receives on topics. */
async function subscribeTo(client: MqttClient, ...topics: string[]) {
  const received: { topic: string; document: Record<string, unknown> }[] = [];
  client.on("message", (topic, payload) =>
    received.push({ topic, document: JSON.parse(payload.toString()) }),
  );
  await client.subscribeAsync(topics, { qos: 1 });
  return {
    received,
    async until(topic: string) {
      await expect.poll(() => received.some((each) => each.topic === topic)).toBe(true);
      return received.find((each) => each.topic === topic)?.document;
    },
  };
}

const topics = (thing: string) => `$aws/things/${thing}/shadow`;
const text = (payload: Uint8Array | undefined) => JSON.parse(Buffer.from(payload ?? []).toString());

function sdk(credentials = { accessKeyId: "any", secretAccessKey: "any" }): IoTDataPlaneClient {
  return new IoTDataPlaneClient({ endpoint: http, region: "us-east-1", credentials, maxAttempts: 1 });
}

describe("the AWS SDK", () => {
  test("gets, updates, lists and deletes shadows, and recognizes the errors", async () => {
    await start();
    const client = sdk();
    const thing = { thingName: "lamp:1" };
    const payload = (document: object) => Buffer.from(JSON.stringify(document));
    await expect(client.send(new GetThingShadowCommand(thing))).rejects.toBeInstanceOf(
      ResourceNotFoundException,
    );
    const first = await client.send(
      new UpdateThingShadowCommand({
        ...thing,
        payload: payload({ state: { desired: { on: true } }, clientToken: "t" }),
      }),
    );
    expect(text(first.payload)).toMatchObject({
      state: { desired: { on: true } },
      version: 1,
      clientToken: "t",
    });
    const stale = { ...thing, payload: payload({ state: { reported: { on: true } }, version: 7 }) };
    await expect(client.send(new UpdateThingShadowCommand(stale))).rejects.toBeInstanceOf(ConflictException);
    const wrong = { ...thing, payload: payload({ state: { delta: {} } }) };
    const rejected = await client.send(new UpdateThingShadowCommand(wrong)).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(InvalidRequestException);
    expect((rejected as Error).message).toContain("State contains an invalid node");
    const got = await client.send(new GetThingShadowCommand(thing));
    expect(text(got.payload)).toMatchObject({
      state: { desired: { on: true }, delta: { on: true } },
      version: 1,
    });
    for (const shadowName of ["$b", "a"])
      await client.send(
        new UpdateThingShadowCommand({ ...thing, shadowName, payload: payload({ state: {} }) }),
      );
    const list = await client.send(new ListNamedShadowsForThingCommand({ ...thing, pageSize: 1 }));
    expect(list.results).toHaveLength(1);
    const rest = await client.send(
      new ListNamedShadowsForThingCommand({ ...thing, nextToken: list.nextToken }),
    );
    expect([...(list.results ?? []), ...(rest.results ?? [])].sort()).toEqual(["$b", "a"]);
    const deleted = await client.send(new DeleteThingShadowCommand(thing));
    expect(text(deleted.payload)).toMatchObject({ version: 1 });
    client.destroy();
  });

  test("must sign with a key if keys are configured", async () => {
    await start({ accessKeys: { key: "secret" } });
    const own = sdk({ accessKeyId: "key", secretAccessKey: "secret" });
    const other = sdk({ accessKeyId: "key", secretAccessKey: "other" });
    const command = () => new ListNamedShadowsForThingCommand({ thingName: "t", pageSize: 2 });
    expect((await own.send(command())).results).toEqual([]);
    await expect(other.send(command())).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    expect((await fetch(`${http}/things/t/shadow`)).status).toBe(403);
    own.destroy();
    other.destroy();
  });

  test("publishes to a shadow topic, and to subscribers of any other", async () => {
    await start();
    const listener = await subscribeTo(await mqtt(), `${topics("t")}/#`, "plain/topic");
    const client = sdk();
    const publish = (topic: string, payload: string) =>
      client.send(new PublishCommand({ topic, qos: 1, payload: Buffer.from(payload) }));
    await publish(`${topics("t")}/update`, '{"state":{"desired":{"a":1}}}');
    expect(await listener.until(`${topics("t")}/update/accepted`)).toMatchObject({ version: 1 });
    await publish("plain/topic", '{"x":"ü"}');
    expect(await listener.until("plain/topic")).toEqual({ x: "ü" });
    await expect(publish(`${topics("t")}/update/accepted`, "{}")).rejects.toThrow();
    client.destroy();
  });
});

describe("MQTT", () => {
  test("an update is answered with delta, documents and accepted, in that order", async () => {
    await start();
    const client = await mqtt();
    const { received, until } = await subscribeTo(
      client,
      `${topics("t")}/update/+`,
      `${topics("t")}/name/n/update/+`,
    );
    await client.publishAsync(
      `${topics("t")}/update`,
      '{"state":{"desired":{"on":true}},"clientToken":"7"}',
      { qos: 1 },
    );
    await until(`${topics("t")}/update/accepted`);
    expect(received.map(({ topic }) => topic.split("/").at(-1))).toEqual(["delta", "documents", "accepted"]);
    expect(received.every(({ document }) => document["clientToken"] === "7")).toBe(true);
    await client.publishAsync(`${topics("t")}/name/n/update`, '{"state":', { qos: 1 });
    expect(await until(`${topics("t")}/name/n/update/rejected`)).toMatchObject({ code: 400 });
  });

  test("get and delete echo the client token, and a missing shadow is 404", async () => {
    await start();
    const client = await mqtt();
    const { until } = await subscribeTo(
      client,
      `${topics("t")}/get/+`,
      `${topics("t")}/delete/+`,
      `${topics("t")}/update/+`,
    );
    await client.publishAsync(`${topics("t")}/get`, "");
    expect(await until(`${topics("t")}/get/rejected`)).toEqual({
      code: 404,
      message: "No shadow exists with name: 't'",
      timestamp: expect.any(Number),
    });
    await client.publishAsync(`${topics("t")}/update`, '{"state":{"reported":{"n":9007199254740993}}}');
    await until(`${topics("t")}/update/accepted`);
    await client.publishAsync(`${topics("t")}/get`, '{"clientToken":"g"}');
    expect(await until(`${topics("t")}/get/accepted`)).toMatchObject({ version: 1, clientToken: "g" });
    await client.publishAsync(`${topics("t")}/delete`, '{"clientToken":"d"}');
    expect(await until(`${topics("t")}/delete/accepted`)).toMatchObject({ version: 1, clientToken: "d" });
  });

  test("performs updates of one client in the order in which it sent them", async () => {
    await start();
    const client = await mqtt();
    const { received } = await subscribeTo(client, `${topics("t")}/update/accepted`);
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        client.publishAsync(`${topics("t")}/update`, JSON.stringify({ state: { reported: { n } } }), {
          qos: 1,
        }),
      ),
    );
    await expect.poll(() => received.length).toBe(50);
    const byVersion = received.sort(
      (one, other) => Number(one.document["version"]) - Number(other.document["version"]),
    );
    expect(
      byVersion.map(({ document }) => (document["state"] as { reported: { n: number } }).reported.n),
    ).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  test("clients may not publish responses, QoS 2, or to other topics of the service", async () => {
    await start();
    for (const topic of [`${topics("t")}/update/accepted`, "$SYS/x"]) {
      const client = await mqtt();
      const closed = ended(client);
      client.publish(topic, "{}");
      await closed;
    }
    const client = await mqtt();
    const closed = ended(client);
    client.publish(`${topics("t")}/update`, "{}", { qos: 2 });
    await closed;
  });

  test("a client id that is too long is rejected", async () => {
    await start();
    await expect(mqtt({ clientId: "c".repeat(129) })).rejects.toThrow();
    expect((await mqtt({ clientId: "c".repeat(128) })).connected).toBe(true);
  });

  test("a wildcard at the first level does not match the service's topics, and wills do not reach it", async () => {
    await start();
    const all = await subscribeTo(await mqtt(), "#", "+/things/t/shadow/update/accepted");
    const willing = await mqtt({
      will: { topic: `${topics("t")}/update`, payload: Buffer.from("{}"), qos: 1, retain: false },
    });
    const { until } = await subscribeTo(willing, `${topics("t")}/update/+`);
    await willing.publishAsync(`${topics("t")}/update`, '{"state":{}}', { qos: 1 });
    await until(`${topics("t")}/update/accepted`);
    willing.stream.destroy();
    await (await mqtt()).publishAsync("after", "{}", { qos: 1 });
    await all.until("after");
    expect(all.received.map(({ topic }) => topic)).toEqual(["after"]);
    expect(await openShadowManager(engine).get({ id: "t" })).toMatchObject({ version: 1 });
  });

  test("works in a web socket, whose origin must be this server's", async () => {
    await start();
    const url = `${http.replace("http", "ws")}/mqtt`;
    const client = await mqtt({}, url);
    const { until } = await subscribeTo(client, `${topics("t")}/update/+`);
    await client.publishAsync(`${topics("t")}/update`, '{"state":{"desired":{"a":1}}}', { qos: 1 });
    expect(await until(`${topics("t")}/update/accepted`)).toMatchObject({ version: 1 });
    await expect(mqtt({ wsOptions: { origin: "https://evil.example" } }, url)).rejects.toThrow();
  });

  test("users authenticate, and are limited to their own thing if configured", async () => {
    const users = parseUsers(`lamp:${hashSync("x", 4)}\nother:${hashSync("x", 4)}`, "users");
    await start({ shadows: { users, ownThingOnly: true } });
    await expect(mqtt()).rejects.toThrow();
    await expect(mqtt({ username: "lamp", password: "y" })).rejects.toThrow();
    const lamp = await mqtt({ username: "lamp", password: "x" });
    const { until } = await subscribeTo(lamp, `${topics("lamp")}/update/accepted`);
    await lamp.publishAsync(`${topics("lamp")}/update`, '{"state":{}}', { qos: 1 });
    await until(`${topics("lamp")}/update/accepted`);
    for (const filter of [`${topics("other")}/#`, "#", "$aws/things/+/shadow/update/accepted"])
      await expect(lamp.subscribeAsync(filter)).rejects.toThrow();
    const closed = ended(lamp);
    lamp.publish(`${topics("other")}/update`, '{"state":{}}');
    await closed;
    expect(await openShadowManager(engine).get({ id: "other" })).toBeUndefined();
  });
});

describe("our own API", () => {
  const patch = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${http}/api/v3/shadows/${path}`, { method: "PATCH", body: JSON.stringify(body), headers });

  test("lists, reads and updates by version", async () => {
    await start();
    const made = await patch("lamp", { desired: { on: true } }, { "if-none-match": "*" });
    expect([made.status, made.headers.get("etag")]).toEqual([200, '"1"']);
    expect((await patch("lamp", { desired: {} }, { "if-none-match": "*" })).status).toBe(412);
    expect((await patch("lamp", { reported: { on: true } }, { "if-match": '"9"' })).status).toBe(412);
    expect((await patch("lamp", { reported: { on: true } }, { "if-match": '"1"' })).status).toBe(200);
    expect((await patch("lamp", { other: 1 })).status).toBe(400);
    expect((await patch("lamp", {}, { "if-match": "x" })).status).toBe(400);
    // Unsupported conditions must be rejected: ignoring them would be the worst response.
    expect((await patch("lamp", { desired: { a: 1 } }, { "if-none-match": '"1"' })).status).toBe(400);
    expect((await patch("fan", { desired: { a: 1 } }, { "if-match": "*" })).status).toBe(400);
    const read = await fetch(`${http}/api/v3/shadows/lamp`);
    expect(await read.json()).toMatchObject({
      thing: "lamp",
      name: "",
      version: 2,
      state: { reported: { on: true } },
    });
    expect((await fetch(`${http}/api/v3/shadows/none`)).status).toBe(404);
    const list = (await (await fetch(`${http}/api/v3/shadows`)).json()) as { shadows: object[] };
    expect(list.shadows).toMatchObject([{ thing: "lamp", version: 2 }]);
    const remove = (headers: Record<string, string>) =>
      fetch(`${http}/api/v3/shadows/lamp`, { method: "DELETE", headers });
    expect((await remove({ "if-match": '"1"' })).status).toBe(412);
    expect(await (await remove({})).json()).toEqual({ version: 2 });
  });

  test("streams changes as they happen, from every writer", async () => {
    await start();
    const live = await fetch(`${http}/api/v3/shadow-events?thing=lamp`);
    const reader = (live.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    await patch("other", { desired: { a: 1 } });
    const client = await mqtt();
    await client.publishAsync(`${topics("lamp")}/update`, '{"state":{"desired":{"a":1}}}', { qos: 1 });
    let said = "";
    while (!said.includes("event: updated")) said += (await reader.read()).value ?? "";
    expect(said).toContain('"id":"lamp"');
    expect(said).not.toContain("other");
    await reader.cancel();
  });

  test("changes are announced to MQTT subscribers; only a request of AWS's API is answered with accepted", async () => {
    await start();
    const client = await mqtt();
    const { received, until } = await subscribeTo(
      client,
      `${topics("lamp")}/#`,
      `${topics("lamp")}/name/+/#`,
    );
    await patch("lamp", { desired: { on: true } });
    expect(await until(`${topics("lamp")}/update/delta`)).toMatchObject({ version: 1, state: { on: true } });
    expect(await until(`${topics("lamp")}/update/documents`)).toMatchObject({
      previous: null,
      current: {
        state: { desired: { on: true } },
        metadata: { desired: { on: { timestamp: expect.any(Number) } } },
        version: 1,
      },
    });
    await patch("lamp?name=night", { desired: null });
    await until(`${topics("lamp")}/name/night/update/documents`);
    await fetch(`${http}/api/v3/shadows/lamp`, { method: "DELETE" });
    expect(await until(`${topics("lamp")}/delete/accepted`)).toMatchObject({ version: 1 });
    // A name with a topic separator has no topic: nothing is announced, and the update is stored anyway.
    const before = received.length;
    expect((await patch("lamp%2Fshadow%2Fname%2Fx", { desired: { on: false } })).status).toBe(200);
    await patch("lamp?name=last", { desired: { on: true } });
    await until(`${topics("lamp")}/name/last/update/documents`);
    expect(new Set(received.slice(before).map(({ topic }) => topic.split("/")[5]))).toEqual(
      new Set(["last"]),
    );
  });

  test("lists the shadows of things by name prefix, page by page", async () => {
    await start();
    for (const thing of ["a-1", "b-1", "a-2", "a-3"]) await patch(thing, { desired: { on: true } });
    const found: string[] = [];
    let next = "";
    do {
      const page = await fetch(`${http}/api/v3/shadows?prefix=a-&limit=2&next=${encodeURIComponent(next)}`);
      const body = (await page.json()) as { shadows: { thing: string }[]; next?: string };
      expect(body.shadows.length).toBeLessThanOrEqual(2);
      found.push(...body.shadows.map(({ thing }) => thing));
      next = body.next ?? "";
    } while (next !== "");
    expect(found.sort()).toEqual(["a-1", "a-2", "a-3"]);
  });

  test("is described, operation by operation", async () => {
    await start();
    const manager = openShadowManager(engine);
    const routes = shadowRoutes(manager, systemClock, manager);
    expect(describedOperations(routes)).toEqual(servedOperations(routes));
  });
});

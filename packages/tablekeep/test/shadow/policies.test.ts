/** Policies decide about MQTT, the web socket and HTTP alike. */
import { hashSync } from "bcryptjs";
import { connectAsync, type IClientOptions } from "mqtt";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parsePolicies } from "../../src/server/auth/iot-policies.ts";
import { newToken, parseTokens, parseUsers, tokenHash } from "../../src/server/auth/secret-files.ts";
import { reason } from "../../src/server/mqtt/protocol/reason-codes.ts";
import { startTestServer, type TestServer } from "../../src/testing/start-test-server.ts";
import { certificate } from "../smtp/certificate.ts";
import { deviceFile } from "./device-file.ts";
import { until } from "./packet-client.ts";

const arn = (resource: string) => `arn:aws:iot:*:*:${resource}`;
const own = `$${"{iot:Connection.Thing.ThingName}"}`;
const allow = (Action: string | string[], Resource: string | string[]) => ({
  Effect: "Allow",
  Action,
  Resource,
});

const policies = parsePolicies(
  JSON.stringify({
    policies: {
      device: {
        Version: "2012-10-17",
        Statement: [
          allow("iot:Connect", arn(`client/${own}`)),
          allow(
            ["iot:Publish", "iot:Receive"],
            [arn(`topic/$aws/things/${own}/shadow/*`), arn("topic/public/*")],
          ),
          allow("iot:Subscribe", [arn(`topicfilter/$aws/things/${own}/shadow/*`), arn("topicfilter/+/+")]),
          allow(["iot:GetThingShadow", "iot:UpdateThingShadow"], arn(`thing/${own}`)),
        ],
      },
      all: { Version: "2012-10-17", Statement: [allow("iot:*", "*")] },
      maxThings: {
        Version: "2012-10-17",
        Statement: [
          allow("iot:*", "*"),
          { Effect: "Deny", Action: "iot:*", Resource: [arn("thing/safe"), arn("thing/*/secret")] },
        ],
      },
    },
    attachments: { lamp: ["device"], ann: ["all"], bob: ["maxThings"] },
  }),
  "file",
);
const token = newToken();
const users = parseUsers(
  ["lamp", "ann", "bob"].map((name) => `${name}:${hashSync(name, 4)}`).join("\n"),
  "users",
);
const tokens = parseTokens(`lamp:${tokenHash(token)}`, "tokens");

const lampOnly = {
  own: ["$aws/things/lamp/shadow/update/accepted", "$aws/things/lamp/shadow/+/+"],
  others: ["$aws/things/door/shadow/update/accepted", "private/a", "#", "public/#"],
};

/** Checks what a device may do with topics. */
async function checkDevice(url: string, options: IClientOptions): Promise<void> {
  const base = { protocolVersion: 5, reconnectPeriod: 0, ...options } as const;
  const lamp = await connectAsync(url, { ...base, clientId: "lamp" }, false);
  onTestFinished(async () => void (await lamp.endAsync(true)));
  const received: string[] = [];
  lamp.on("message", (topic) => received.push(topic));
  for (const filter of [...lampOnly.own, "+/+"]) await lamp.subscribeAsync(filter, { qos: 1 });
  for (const filter of lampOnly.others)
    await expect(lamp.subscribeAsync(filter, { qos: 1 })).rejects.toThrow();
  const publish = (topic: string, retain = false) => lamp.publishAsync(topic, "{}", { qos: 1, retain });
  await expect(publish("$aws/things/door/shadow/update")).rejects.toMatchObject({
    code: reason.notAuthorized,
  });
  await expect(publish("private/a")).rejects.toMatchObject({ code: reason.notAuthorized });
  await expect(publish("public/a", true)).rejects.toMatchObject({ code: reason.notAuthorized });
  await publish("public/b");
  await until(() => received.includes("public/b"));
  const other = connectAsync(url, { ...base, clientId: "door" }, false);
  await expect(other).rejects.toMatchObject({ code: reason.notAuthorized });
}

const basic = (name: string) => ({ authorization: `Basic ${btoa(`${name}:${name}`)}` });

describe("policies", () => {
  let server: TestServer;
  beforeAll(async () => {
    const shadows = { users, tokens, policies };
    server = await startTestServer({ users, shadows, mail: false, dynamodb: false });
    return () => server.stop();
  });

  test("limit users and tokens of MQTT", async () => {
    await checkDevice(server.mqttUrl, { username: "lamp", password: "lamp" });
    await checkDevice(server.mqttUrl, { username: "lamp", password: token });
    await checkDevice(server.mqttUrl, { password: token, username: "" });
  });

  test("limit what is received, not only what is subscribed to", async () => {
    const ann = await connectAsync(server.mqttUrl, { username: "ann", password: "ann" });
    const lamp = await connectAsync(server.mqttUrl, { username: "lamp", password: "lamp", clientId: "lamp" });
    onTestFinished(async () => void (await Promise.all([ann.endAsync(true), lamp.endAsync(true)])));
    const received: string[] = [];
    lamp.on("message", (topic) => received.push(topic));
    await lamp.subscribeAsync("+/+", { qos: 1 });
    for (const topic of ["private/x", "public/x"]) await ann.publishAsync(topic, "x", { qos: 1 });
    await until(() => received.length > 0);
    expect(received).toEqual(["public/x"]);
  });

  test("limit clients of the web socket by their MQTT users", async () => {
    const wsOptions = { headers: basic("ann") };
    const url = `${server.url.replace("http", "ws")}mqtt`;
    await checkDevice(url, { username: "lamp", password: "lamp", wsOptions });
  });

  test("limit AWS's paths and our own API", async () => {
    const statusOf = async (user: string, path: string, method = "GET", body?: string) =>
      (await fetch(new URL(path, server.url), { method, body, headers: basic(user) })).status;
    const update = '{"state":{"reported":{"on":true}}}';
    expect(await statusOf("lamp", "/things/lamp/shadow", "POST", update)).toBe(200);
    expect(await statusOf("lamp", "/things/lamp/shadow")).toBe(200);
    expect(await statusOf("lamp", "/things/lamp/shadow?name=n")).toBe(403);
    expect(await statusOf("lamp", "/things/door/shadow", "POST", update)).toBe(403);
    expect(await statusOf("lamp", "/things/lamp/shadow", "DELETE")).toBe(403);
    expect(await statusOf("lamp", "/topics/public/a", "POST", "x")).toBe(200);
    expect(await statusOf("lamp", "/topics/private/a", "POST", "x")).toBe(403);
    expect(await statusOf("lamp", "/topics/public/a?retain=true", "POST", "x")).toBe(403);
    expect(await statusOf("ann", "/topics/public/a?retain=true", "POST", "x")).toBe(200);
    expect(await statusOf("lamp", "/retainedMessage")).toBe(403);
    expect(await statusOf("lamp", "/connections/lamp", "DELETE")).toBe(403);
    expect(await statusOf("lamp", "/api/v3/shadows/lamp")).toBe(200);
    expect(await statusOf("lamp", "/api/v3/shadows/door")).toBe(403);
    expect(await statusOf("lamp", "/api/v3/shadows/door", "PATCH", '{"desired":{}}')).toBe(403);
    expect(await statusOf("lamp", "/api/v3/shadows/lamp", "DELETE")).toBe(403);
    expect(await statusOf("lamp", "/api/v3/shadows")).toBe(403);
    expect(await statusOf("lamp", "/api/v3/shadow-events")).toBe(403);
    expect(await statusOf("lamp", "/api/v3/shadows?thing=lamp")).toBe(200);
    expect(await statusOf("ann", "/api/v3/shadows")).toBe(200);
    expect(await statusOf("ann", "/api/v3/shadows/lamp", "DELETE")).toBe(200);
  });

  test("limit what a search shows", async () => {
    const send = (user: string, path: string, body?: string) =>
      fetch(new URL(path, server.url), { method: body ? "PATCH" : "GET", body, headers: basic(user) });
    const search = async (user: string, rest = "") => {
      const response = await send(user, `/api/v3/shadows?query=reported.found%3Dtrue${rest}`);
      if (!response.ok) return response.status;
      const { shadows } = (await response.json()) as { shadows: { thing: string; name: string }[] };
      return shadows.map(({ thing, name }) => `${thing}/${name}`).toSorted();
    };
    for (const path of ["lamp", "lamp?name=secret", "door"])
      expect((await send("ann", `/api/v3/shadows/${path}`, '{"reported":{"found":true}}')).status).toBe(200);
    expect(await search("ann")).toEqual(["door/", "lamp/", "lamp/secret"]);
    expect(await search("lamp")).toBe(403);
    expect(await search("lamp", "&thing=door")).toBe(403);
    expect(await search("lamp", "&thing=lamp")).toEqual(["lamp/"]);
  });

  test("hide denied things and named shadows in the list of all things and in its events", async () => {
    const end = new AbortController();
    onTestFinished(() => end.abort());
    const follow = async (user: string, query = "") => {
      const url = new URL(`/api/v3/shadow-events${query}`, server.url);
      const response = await fetch(url, { headers: basic(user), signal: end.signal });
      expect(response.status).toBe(200);
      const seen: string[] = [];
      void (async () => {
        for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
          for (const [, id, name] of chunk.matchAll(/"id":"(\w+)","name":"(\w*)"/g))
            seen.push(`${id}/${name}`);
      })().catch(() => {});
      return seen;
    };
    const events = {
      ann: await follow("ann"),
      bob: await follow("bob"),
      bobOfOne: await follow("bob", "?thing=door1"),
    };
    const shadows = ["safe", "door1?name=secret", "door1?name=open", "door1"];
    for (const path of shadows) {
      const url = new URL(`/api/v3/shadows/${path}`, server.url);
      const answer = await fetch(url, { method: "PATCH", body: '{"reported":{}}', headers: basic("ann") });
      expect(answer.status).toBe(200);
    }
    const list = async (user: string, query: string) => {
      const response = await fetch(new URL(`/api/v3/shadows?${query}`, server.url), { headers: basic(user) });
      if (!response.ok) return response.status;
      const { shadows: rows } = (await response.json()) as { shadows: { thing: string; name: string }[] };
      return rows.map(({ thing, name }) => `${thing}/${name}`).toSorted();
    };
    expect(await list("ann", "")).toEqual(expect.arrayContaining(["safe/", "door1/secret"]));
    expect(await list("bob", "")).toEqual(expect.not.arrayContaining(["safe/"]));
    expect(await list("bob", "prefix=door1")).toEqual(["door1/", "door1/open"]);
    expect(await list("bob", "thing=door1")).toEqual(["door1/", "door1/open"]);
    expect(await list("bob", "prefix=safe")).toEqual([]);
    expect(await list("bob", "thing=safe")).toBe(403);
    await until(() => Object.values(events).every((seen) => seen.at(-1) === "door1/"));
    expect(events.ann).toEqual(["safe/", "door1/secret", "door1/open", "door1/"]);
    expect(events.bob).toEqual(["door1/open", "door1/"]);
    expect(events.bobOfOne).toEqual(["door1/open", "door1/"]);
  });
});

test("policies apply to client certificates, by their common names", async () => {
  const shadows = { certificate, clientCa: deviceFile("ca.pem"), policies };
  const server = await startTestServer({ shadows, mail: false, dynamodb: false });
  onTestFinished(() => server.stop());
  const tls = { ca: certificate.cert, servername: "localhost" };
  await checkDevice(server.mqttUrl, {
    ...tls,
    cert: deviceFile("lamp.pem"),
    key: deviceFile("lamp-key.pem"),
  });
});

test("without MQTT users, the user of a web socket is the user of HTTP", async () => {
  const server = await startTestServer({ users, shadows: { policies }, mail: false, dynamodb: false });
  onTestFinished(() => server.stop());
  await checkDevice(`${server.url.replace("http", "ws")}mqtt`, { wsOptions: { headers: basic("lamp") } });
});

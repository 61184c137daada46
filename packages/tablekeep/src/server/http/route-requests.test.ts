import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { silentLogger, systemClock, TablekeepError } from "@tablekeep/core";
import { afterEach, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { Listener } from "../listening/listener.ts";
import { sendEvents } from "./event-stream.ts";
import type { HttpAccess } from "./http-access.ts";
import { httpListener } from "./http-listener.ts";
import type { HttpRoute, RouteGroup } from "./http-route.ts";
import { HttpError } from "./http-route.ts";
import { readJson } from "./requests.ts";
import { sendJson } from "./responses.ts";
import { routeRequests } from "./route-requests.ts";
import type { UpgradeRoute } from "./upgrades.ts";

let listener: Listener;
afterEach(() => listener.stop(0));

async function start(
  groups: readonly RouteGroup[],
  upgrades: readonly UpgradeRoute[] = [],
  access: HttpAccess = {},
): Promise<string> {
  listener = httpListener({
    target: { listener: "http", host: "127.0.0.1", port: 0, portFlag: "--http-port" },
    purpose: "a test",
    handle: routeRequests(groups, silentLogger, access),
    access,
    upgrades,
    clock: systemClock,
    logger: silentLogger,
  });
  return (await listener.start()).slice(0, -1);
}

const echo = (method: HttpRoute["method"], path: string): HttpRoute => ({
  method,
  path,
  access: "anybody",
  handle: async ({ request, response, params, query }) =>
    sendJson(response, 200, { path, params, query: [...query], body: await readJson(request, 100) }),
});

test.each([
  [",.", "."],
  [",..", ".."],
  [",...", ",..."],
  ["%2C.", ",."],
  ["%2C..", ",.."],
  [",", ","],
  [",%2E", ",."],
])("the segment %s is the name %s, because clients remove dots from paths", async (segment, name) => {
  const url = await start([{ routes: [echo("GET", "/ids/:id/events"), echo("GET", "/topics/*topic")] }]);
  expect(await (await fetch(`${url}/ids/${segment}/events`)).json()).toMatchObject({ params: { id: name } });
  const topic = await (await fetch(`${url}/topics/${segment}`)).json();
  expect(topic).toMatchObject({ params: { topic: decodeURIComponent(segment) } });
});

test("parts of the path are decoded, one each, and the last may hold slashes", async () => {
  const url = await start([
    { routes: [echo("GET", "/things/:thing/shadow"), echo("GET", "/topics/*topic")] },
  ]);
  const thing = await fetch(`${url}/things/a%2Fb%20%C3%BC/shadow?name=x&name=y`);
  expect(await thing.json()).toEqual({
    path: "/things/:thing/shadow",
    params: { thing: "a/b ü" },
    query: [
      ["name", "x"],
      ["name", "y"],
    ],
  });
  expect(await (await fetch(`${url}/topics/$aws/things/a`)).json()).toMatchObject({
    params: { topic: "$aws/things/a" },
  });
  expect((await fetch(`${url}/things/a/b/shadow`)).status).toBe(404);
  expect((await fetch(`${url}/things/%E0/shadow`)).status).toBe(400);
});

test("of several routes for a path the first is used, whatever its first segment is", async () => {
  const routes = ["/api/a", "/:any/a", "/api/:part", "/*rest"].map((path) => echo("GET", path));
  const url = await start([{ routes }]);
  const usedFor = async (path: string) => ((await (await fetch(url + path)).json()) as { path: string }).path;
  expect(await usedFor("/api/a")).toBe("/api/a");
  expect(await usedFor("/other/a")).toBe("/:any/a");
  expect(await usedFor("/api/b")).toBe("/api/:part");
  expect(await usedFor("/")).toBe("/*rest");
  expect(await usedFor("/constructor/b")).toBe("/*rest");
});

test("a target with scheme and host is that of its path", async () => {
  const url = await start([{ routes: [echo("GET", "/things/:thing"), echo("GET", "/")] }]);
  const pathOf = async (target: string) => {
    const { hostname, port } = new URL(url);
    const sent = get({ hostname, port, path: target });
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    return JSON.parse(
      String(
        await answer
          .setEncoding("utf8")
          .toArray()
          .then((parts) => parts.join("")),
      ),
    ) as unknown;
  };
  expect(await pathOf(`${url}/things/lamp?a=1`)).toMatchObject({
    params: { thing: "lamp" },
    query: [["a", "1"]],
  });
  expect(await pathOf(url)).toMatchObject({ path: "/" });
});

test("a chunked body over the limit is answered with 413, and an aborted one disturbs no other", async () => {
  const url = await start([{ routes: [echo("POST", "/")] }]);
  const chunked = async (chunks: readonly string[], end: boolean) => {
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
    await once(socket, "connect");
    socket.write("POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n");
    for (const chunk of chunks) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    if (!end) {
      socket.destroy();
      return "";
    }
    socket.write("0\r\n\r\n");
    const [answer] = await once(socket, "data");
    socket.destroy();
    return String(answer);
  };
  expect(await chunked(["x".repeat(60), "x".repeat(60)], true)).toMatch(/^HTTP\/1\.1 413 /);
  await chunked(['"half'], false);
  expect(await chunked(['"wh', 'ole"'], true)).toMatch(/^HTTP\/1\.1 200 /);
});

test("names of object members are harmless in a path", async () => {
  const url = await start([{ routes: [echo("GET", "/:__proto__")] }]);
  expect((await fetch(`${url}/x`)).status).toBe(200);
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});

test("rejects a body that is over the limit or not JSON, in one line", async () => {
  const url = await start([{ routes: [echo("POST", "/")] }]);
  const answers = await Promise.all(
    ['{"a":1}', "", "{", `"${"x".repeat(200)}"`].map(async (body) => {
      const answer = await fetch(url, { method: "POST", body });
      return [answer.status, ((await answer.json()) as { error?: string }).error];
    }),
  );
  expect(answers).toEqual([
    [200, undefined],
    [200, undefined],
    [400, "the body must be JSON in UTF-8"],
    [413, "the body is larger than 100 bytes"],
  ]);
});

test("an error of ours is reported with its code, and one with an unknown outcome is marked", async () => {
  const init = { code: "CODE", kind: "conflict", message: "what to do", details: {} } as const;
  const failing = (path: string, error: Error): HttpRoute => ({
    method: "GET",
    path,
    access: "anybody",
    handle: () => Promise.reject(error),
  });
  const url = await start([
    {
      routes: [
        failing("/surely", new TablekeepError(init)),
        failing("/unknown", new TablekeepError({ ...init, ambiguous: true })),
      ],
    },
    {
      routes: [failing("/own", new Error("x"))],
      answerError: (_, { response }) => void response.end("mine"),
    },
  ]);
  const surely = await fetch(`${url}/surely`);
  expect([surely.status, await surely.json()]).toEqual([409, { error: "what to do", code: "CODE" }]);
  const unknown = await fetch(`${url}/unknown`);
  expect([unknown.status, await unknown.json()]).toMatchObject([504, { mayBeApplied: true }]);
  expect(await (await fetch(`${url}/own`)).text()).toBe("mine");
});

test("before runs ahead of the route", async () => {
  const before = () => {
    throw new HttpError(401, "sign in", { "www-authenticate": "Basic" });
  };
  const url = await start([{ routes: [echo("GET", "/in")], before }, { routes: [echo("GET", "/out")] }]);
  const rejected = await fetch(`${url}/in`);
  expect([rejected.status, rejected.headers.get("www-authenticate")]).toEqual([401, "Basic"]);
  expect((await fetch(`${url}/out`)).status).toBe(200);
});

test("pages of other sites are rejected, programs and own pages are not", async () => {
  const corsOrigin = "https://app.example";
  const group: RouteGroup = { corsOrigin, routes: [echo("POST", "/")] };
  const url = await start([group]);
  const status = async (origin?: string) =>
    (await fetch(url, { method: "POST", ...(origin !== undefined && { headers: { origin } }) })).status;
  expect(await status()).toBe(200);
  expect(await status(url)).toBe(200);
  expect(await status("https://app.example")).toBe(200);
  expect([await status("https://evil.example"), await status("null")]).toEqual([403, 403]);
});

test("events are sent as they come, and end when the server stops", async () => {
  const url = await start([
    {
      routes: [
        {
          method: "GET",
          path: "/events",
          access: "anybody",
          handle: (exchange) => sendEvents(exchange, endless(exchange.stopping), systemClock),
        },
      ],
    },
  ]);
  const answer = await fetch(`${url}/events`);
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("line two")) text += (await reader.read()).value ?? "";
  expect(text).toBe(":\n\nevent: news\nid: 1\ndata: line one\ndata: line two\n\n");
  await listener.stop(15_000);
  expect((await reader.read()).done).toBe(true);
});

test("HEAD of a stream is answered at once, and does not start the source", async () => {
  let asked = false;
  async function* source(stopping: AbortSignal) {
    asked = true;
    yield* endless(stopping);
  }
  const handle: HttpRoute["handle"] = (exchange) =>
    sendEvents(exchange, source(exchange.stopping), systemClock);
  const url = await start([{ routes: [{ method: "GET", path: "/events", access: "anybody", handle }] }]);
  const head = await fetch(`${url}/events`, { method: "HEAD" });
  expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect(asked).toBe(false);
});

async function* endless(stopping: AbortSignal) {
  yield { event: "news", id: "1", data: "line one\nline two" };
  if (!stopping.aborted) await once(stopping, "abort");
}

test("passes a web socket to its route; rejects another path, host or origin", async () => {
  const sockets = new WebSocketServer({ noServer: true });
  const serve: UpgradeRoute["serve"] = ({ request, socket, head, stopping }) => {
    sockets.handleUpgrade(request, socket, head, (client) => {
      client.send("welcome");
      stopping.addEventListener("abort", () => client.close());
    });
  };
  const url = await start([], [{ path: "/ws", access: "anybody", serve }]);
  const client = new WebSocket(`${url.replace("http", "ws")}/ws`);
  const [message] = await once(client, "message");
  expect(String(message)).toBe("welcome");
  const rejection = async (path: string, headers: Record<string, string>) => {
    const [, response] = await once(
      new WebSocket(`${url.replace("http", "ws")}${path}`, { headers }).on("error", () => {}),
      "unexpected-response",
    );
    return response.statusCode;
  };
  expect(await rejection("/other", {})).toBe(404);
  expect(await rejection("/ws", { origin: "https://evil.example" })).toBe(403);
  expect(await rejection("/ws", { host: "evil.example" })).toBe(403);
  await listener.stop(15_000);
});

test("aborts a handler when its client disconnects", async () => {
  let gone: AbortSignal | undefined;
  const url = await start([
    {
      routes: [
        {
          method: "GET",
          path: "/slow",
          access: "anybody",
          handle: async ({ signal }) => {
            gone = signal;
            await once(signal, "abort");
          },
        },
      ],
    },
  ]);
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write("GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await expect.poll(() => gone).toBeDefined();
  socket.destroy();
  await expect.poll(() => gone?.aborted).toBe(true);
});

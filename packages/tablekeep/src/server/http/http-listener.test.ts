import { once } from "node:events";
import { Agent, get } from "node:http";
import { get as secureGet } from "node:https";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { silentLogger, systemClock } from "@tablekeep/core";
import { afterEach, describe, expect, test } from "vitest";
import { certificate } from "../../../test/smtp/certificate.ts";
import type { Listener } from "../listening/listener.ts";
import { type HttpListenerOptions, httpListener } from "./http-listener.ts";
import { type HttpRoute, streamSignal } from "./http-route.ts";
import { routeRequests } from "./route-requests.ts";

let listener: Listener;
afterEach(() => listener.stop(0));

async function start(handle: HttpRoute["handle"], more: Partial<HttpListenerOptions> = {}): Promise<string> {
  listener = httpListener({
    target: { listener: "http", host: "127.0.0.1", port: 0, portFlag: "--http-port" },
    purpose: "a test",
    handle: routeRequests(
      [{ routes: [{ method: "GET", path: "/it", access: "anybody", handle }] }],
      silentLogger,
    ),
    clock: systemClock,
    logger: silentLogger,
    ...more,
  });
  return listener.start();
}

/** A route that responds when the test releases it. */
function heldRoute() {
  let release = () => {};
  let arrived = () => {};
  const inside = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handle: HttpRoute["handle"] = async ({ response }) => {
    arrived();
    await held;
    response.end("done");
  };
  return { handle, inside, release: () => release() };
}

describe("answering", () => {
  test("starts the next request of a connection once the response before it is sent", async () => {
    const { handle, inside, release } = heldRoute();
    let started = 0;
    const url = await start((exchange) => {
      started++;
      return handle(exchange);
    });
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const request = "GET /it HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
    socket.write(`${request}${request}${request.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n")}`);
    await inside;
    // A request on another connection does not wait, and gives those behind the first time to arrive.
    expect((await fetch(`${url}other`)).status).toBe(404);
    expect(started).toBe(1);
    release();
    expect((await text(socket)).match(/done/g)).toHaveLength(3);
    expect(started).toBe(3);
  });

  test("unknown paths are 404, wrong methods 405 with what is allowed, HEAD has no body", async () => {
    const url = await start(({ response }) => void response.end("body"));
    expect((await fetch(`${url}other`)).status).toBe(404);
    const post = await fetch(`${url}it?query=1`, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    const head = await fetch(`${url}it`, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(await (await fetch(`${url}it?query=1`)).text()).toBe("body");
  });

  test("a handler that throws is answered with status 500 without its message, and the listener keeps running", async () => {
    const url = await start(() => Promise.reject(new Error("secret")));
    const broken = await fetch(`${url}it`);
    expect(broken.status).toBe(500);
    expect(await broken.text()).not.toContain("secret");
    expect((await fetch(`${url}other`)).status).toBe(404);
  });
});

describe("stopping", () => {
  test("finishes the request in flight, rejects new ones, and closes its kept-alive connection", async () => {
    const route = heldRoute();
    const url = await start(route.handle);
    const agent = new Agent({ keepAlive: true });
    const request = get(`${url}it`, { agent });
    const answered = once(request, "response");
    await route.inside;
    const stopped = listener.stop(600_000);
    await expect(fetch(url)).rejects.toThrow();
    route.release();
    const [response] = await answered;
    expect(await text(response)).toBe("done");
    await stopped;
    agent.destroy();
  });

  test("answers a request that waits for something with status 503", async () => {
    let arrived = () => {};
    const inside = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const url = await start(async (exchange) => {
      const signal = streamSignal(exchange);
      arrived();
      await once(signal, "abort");
      throw signal.reason;
    });
    const answer = fetch(`${url}it`);
    await inside;
    const stopped = listener.stop(600_000);
    const { status, headers } = await answer;
    expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
    await stopped;
  });

  test("aborts a request that exceeds the grace period", async () => {
    const route = heldRoute();
    const url = await start(route.handle);
    const answer = fetch(`${url}it`).then(
      () => "answered",
      () => "cut",
    );
    await route.inside;
    await listener.stop(50);
    expect(await answer).toBe("cut");
    route.release();
  });

  test("finishes the request in flight over HTTPS, too", async () => {
    const route = heldRoute();
    const url = await start(route.handle, { certificate });
    const answered = once(secureGet(`${url}it`, { rejectUnauthorized: false, agent: false }), "response");
    await route.inside;
    const stopped = listener.stop(600_000);
    route.release();
    const [response] = await answered;
    expect(await text(response)).toBe("done");
    await stopped;
  });

  test("aborts a TLS handshake that exceeds the grace period", async () => {
    const handle = heldRoute().handle;
    const url = new URL(await start(handle, { certificate, limits: { headersTimeoutMs: 60_000 } }));
    const greeting = connect(Number(url.port), url.hostname);
    greeting.on("error", () => {}).resume();
    greeting.write(Buffer.from([0x16, 3, 1, 2]));
    await once(greeting, "connect");
    // A whole request on another connection proves that the server has read this part of the handshake.
    await once(secureGet(`${url}none`, { rejectUnauthorized: false, agent: false }), "response");
    await listener.stop(50);
  });

  test("does not wait for connections without a request", async () => {
    const url = new URL(await start(({ response }) => void response.end("x")));
    const silent = connect(Number(url.port), url.hostname);
    await once(silent, "connect");
    const agent = new Agent({ keepAlive: true });
    const [response] = await once(get(`${url}it`, { agent }), "response");
    await text(response);
    // A stop that waits for them lasts longer than the test may.
    await listener.stop(600_000);
    silent.destroy();
    agent.destroy();
  });
});

import { once } from "node:events";
import { type RequestOptions, request } from "node:http";
import { request as secureRequest } from "node:https";
import { text } from "node:stream/consumers";
import { type Logger, silentLogger, systemClock } from "@tablekeep/core";
import { afterEach, expect, test } from "vitest";
import { certificate } from "../../../test/smtp/certificate.ts";
import type { Listener } from "../listening/listener.ts";
import { httpListener } from "./http-listener.ts";
import { readBody } from "./requests.ts";
import { routeRequests } from "./route-requests.ts";

let listener: Listener;
afterEach(() => listener.stop(0));

/** A listener with a web socket and a route that echoes what it receives. */
function start(secure: boolean, logger: Logger = silentLogger): Promise<string> {
  listener = httpListener({
    target: { listener: "http", host: "127.0.0.1", port: 0, portFlag: "--http-port" },
    purpose: "a test",
    handle: routeRequests(
      [
        {
          routes: [
            {
              method: "POST",
              path: "/echo",
              access: "anybody",
              handle: async ({ request: asked, response }) => void response.end(await readBody(asked)),
            },
          ],
        },
      ],
      silentLogger,
    ),
    certificate: secure ? certificate : undefined,
    upgrades: [
      { path: "/socket", access: "anybody", serve: ({ socket }) => void socket.end("served") },
      {
        path: "/broken",
        access: "anybody",
        serve: () => {
          throw new Error("a defect");
        },
      },
    ],
    clock: systemClock,
    logger,
  });
  return listener.start();
}

async function send(url: string, headers: Record<string, string>, body: string): Promise<[number, string]> {
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    method: "POST",
    headers,
    rejectUnauthorized: false,
  };
  const sent = url.startsWith("https:") ? secureRequest(url, options) : request(url, options);
  sent.end(body);
  const [answer] = await once(sent, "response");
  return [answer.statusCode, await text(answer)];
}

// As Java's HttpClient does it, and curl --http2.
const offer = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABkAAQCAAAA" };
const long = "body ".repeat(50_000);

test.each([
  ["HTTP", false],
  ["HTTPS", true],
])("a request that offers HTTP/2 is answered in %s, with its whole body", async (_name, secure) => {
  const url = await start(secure);
  expect(await send(`${url}echo`, { ...offer, "content-length": String(long.length) }, long)).toEqual([
    200,
    long,
  ]);
  expect(await send(`${url}echo`, { ...offer, "transfer-encoding": "chunked" }, long)).toEqual([200, long]);
  expect((await send(`${url}nothing`, offer, ""))[0]).toBe(404);
});

test("the Host header is still checked", async () => {
  const url = await start(false);
  expect((await send(`${url}echo`, { ...offer, host: "evil.example" }, ""))[0]).toBe(403);
});

test("a web socket at an unknown path is 404", async () => {
  const url = await start(false);
  expect((await send(`${url}echo`, { connection: "Upgrade", upgrade: "websocket" }, ""))[0]).toBe(404);
});

test("a web socket that fails is 500, and its error is logged", async () => {
  const errors: unknown[] = [];
  const url = await start(false, {
    ...silentLogger,
    error: (_message, fields) => errors.push(fields?.["error"]),
  });
  expect((await send(`${url}broken`, { connection: "Upgrade", upgrade: "websocket" }, ""))[0]).toBe(500);
  expect(errors).toEqual([new Error("a defect")]);
});

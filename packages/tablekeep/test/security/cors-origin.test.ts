/** The origin that may use MailHog's API, `--cors-origin`, may use nothing else. */
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startTestServer, type TestServer } from "../../src/testing/start-test-server.ts";

const origin = "https://other.example";
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ corsOrigin: "*" });
});
afterAll(() => server.stop());

// Requests that a page can send without a preflight.
const send = async (path: string, body: string) =>
  (
    await fetch(new URL(path, server.url), {
      method: "POST",
      headers: { origin, "content-type": "text/plain" },
      body,
    })
  ).status;

test("it uses MailHog's API", async () => {
  const remove = await fetch(new URL("/api/v1/messages", server.url), {
    method: "DELETE",
    headers: { origin },
  });
  expect([remove.status, remove.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
});

test.each([
  ["/api/v3/journals/journal/ids/x/events", '{"events":[{"payload":1}]}'],
  ["/api/v3/mail/messages?from=a@example.org&to=b@example.org", "Subject: x"],
  ["/things/lamp/shadow", '{"state":{"desired":{"on":true}}}'],
  ["/topics/any", "x"],
])("it changes nothing by %s", async (path, body) => {
  expect(await send(path, body)).toBe(403);
});

test.each([
  ["/api/v2/websocket", 101],
  ["/mqtt", 403],
])("a web socket at %s is status %i", async (path, status) => {
  const url = new URL(path, server.url.replace("http", "ws"));
  const socket = new WebSocket(url, { headers: { origin } }).on("error", () => {});
  const [response] = await Promise.race([
    once(socket, "upgrade"),
    once(socket, "unexpected-response").then(([, rejected]) => [rejected]),
  ]);
  expect(response.statusCode).toBe(status);
  socket.terminate();
});

/** Every route has a rule: who may come in without a sign-in, with a password, with a token. */
import { hashSync } from "bcryptjs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { newToken, parseTokens, tokenHash } from "../../src/server/auth/tokens-file.ts";
import { parseUsers } from "../../src/server/auth/users-file.ts";
import { startTestServer, type TestServer } from "../../src/testing/start-test-server.ts";
import { call, send } from "../wire/raw-dynamodb.ts";
import { everyRoute, filled, type KnownRoute } from "./every-route.ts";

const token = newToken();
const password = { authorization: `Basic ${btoa("ann:secret")}` };
const bearer = { authorization: `Bearer ${token}` };
let server: TestServer;
let routes: readonly KnownRoute[];
beforeAll(async () => {
  server = await startTestServer({
    users: parseUsers(`ann:${hashSync("secret", 4)}\n`, "users"),
    tokens: parseTokens(`ci:${tokenHash(token)}\n`, "tokens"),
    accessKeys: { AKID: "secret-key" },
  });
  routes = await everyRoute(server.url, password);
});
afterAll(() => server.stop());

/** What a probe asks, and nothing else, is for everybody. */
const forEverybody = ["/healthz", "/readyz"];
/** AWS's own paths, which ask for a signature. */
const isSigned = (path: string) => /^\/(?:things|topics|api\/things)\//.test(path);

async function statusOf({ method, path }: KnownRoute, headers: Record<string, string>): Promise<number> {
  const { href, host } = new URL(filled(path, "x"), server.url);
  return (await send(href, { host, ...headers }, "", method)).status;
}

test("without a sign-in, only those that are for everybody answer", async () => {
  const answered: string[] = [];
  for (const route of routes) {
    const status = await statusOf(route, {});
    if (status !== 401 && status !== 403) answered.push(route.path);
  }
  expect(answered.toSorted()).toEqual(forEverybody);
});

test("a password opens all but AWS's own paths, and a token our own API and the page", async () => {
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    expect([name, await statusOf(route, password)]).toEqual([
      name,
      isSigned(route.path) ? 403 : expectedInside,
    ]);
    const opens = !isSigned(route.path) && !/^\/api\/v[12]\//.test(route.path);
    const byToken = await statusOf(route, bearer);
    if (opens) expect([name, byToken]).toEqual([name, expectedInside]);
    else expect([401, 403], name).toContain(byToken);
  }
});

/** Whatever the handler says of `x`, but no refusal at the door. */
const expectedInside = expect.toSatisfy((status: number) => status !== 401 && status !== 403);

test("a token or a password is no signature", async () => {
  for (const headers of [{}, password, bearer, { authorization: "AWS4-HMAC-SHA256 nonsense" }])
    expect((await call(server.dynamodbUrl, "ListTables", {}, headers)).status).toBe(400);
});

test("a web socket of mail asks for the sign-in", async () => {
  const url = new URL("/api/v2/websocket", server.url.replace("http", "ws"));
  const opened = (headers: Record<string, string>) =>
    new Promise<boolean>((resolve) => {
      const socket = new WebSocket(url, { headers });
      socket.on("open", () => resolve(true));
      socket.on("error", () => resolve(false));
      socket.on("close", () => resolve(false));
      socket.on("open", () => socket.terminate());
    });
  expect([await opened({}), await opened(password)]).toEqual([false, true]);
});

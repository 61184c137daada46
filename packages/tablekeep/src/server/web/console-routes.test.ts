import { afterEach, beforeAll, expect, test } from "vitest";
import { buildConsole } from "../../../../../scripts/lib/build-console.mjs";
import { type RunningServer, startServer } from "../start-server.ts";

let server: RunningServer;
const get = (path: string) => fetch(new URL(path, server.listeners[0]?.url), { redirect: "manual" });
const start = async (webPath: string) => {
  server = await startServer({
    memory: true,
    webPath,
    httpPort: 0,
    dynamodb: false,
    smtp: false,
    mqtt: false,
  });
};

beforeAll(() => buildConsole());
afterEach(() => server.stop());

test("serves the page and its assets with their types, and with a content security policy", async () => {
  await start("");
  for (const [path, type] of [
    ["/", "text/html; charset=utf-8"],
    ["/assets/console.js", "text/javascript; charset=utf-8"],
    ["/assets/console.css", "text/css; charset=utf-8"],
    ["/assets/icon.svg", "image/svg+xml"],
  ] as const) {
    const answer = await get(path);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, type]);
    expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    await answer.arrayBuffer();
  }
});

test("serves the page under a web path with a trailing slash, and the start page at the root", async () => {
  await start("/tools/mail");
  const short = await get("/tools/mail");
  expect([short.status, short.headers.get("location")]).toEqual([308, "/tools/mail/"]);
  expect(await (await get("/tools/mail/")).text()).toContain('src="assets/console.js"');
  expect((await get("/tools/mail/assets/console.js")).status).toBe(200);
  expect((await get("/assets/console.js")).status).toBe(404);
  expect(await (await get("/")).text()).toContain("Running");
});

test("serves the sandbox under a policy without an origin and without requests", async () => {
  await start("");
  const answer = await get("/assets/sandbox.html");
  const policy = answer.headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(
    /^sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; worker-src blob:;/,
  );
  expect(policy).not.toMatch(/allow-same-origin|connect-src|https?:|'self'.*'self'/);
  expect(await answer.text()).not.toContain('"WORKER"');
});

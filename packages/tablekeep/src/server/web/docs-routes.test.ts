import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildDocs } from "../../../../../scripts/lib/build-docs.mjs";
import { type RunningServer, startServer } from "../start-server.ts";

let server: RunningServer;
const get = (path: string) => fetch(new URL(path, server.listeners[0]?.url), { redirect: "manual" });

/** The headers of an answer as sent, and its first bytes: `fetch` unpacks bodies. */
function rawGet(path: string, headers: Record<string, string>) {
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }>((resolve, reject) => {
    const sent = request(new URL(path, server.listeners[0]?.url), { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => resolve({ headers: answer.headers, body: Buffer.concat(parts) }));
    });
    sent.on("error", reject).end();
  });
}

beforeAll(async () => {
  await buildDocs();
  server = await startServer({
    memory: true,
    webPath: "/tools",
    httpPort: 0,
    dynamodb: false,
    smtp: false,
    mqtt: false,
  });
});
afterAll(() => server.stop());

test("serves pages and assets under the web path, with their types and a content security policy", async () => {
  for (const [path, type] of [
    ["", "text/html; charset=utf-8"],
    ["how-to/agents.html", "text/html; charset=utf-8"],
    ["site.css", "text/css; charset=utf-8"],
    ["site.js", "text/javascript; charset=utf-8"],
    ["search.json", "application/json; charset=utf-8"],
    ["icon.svg", "image/svg+xml"],
  ] as const) {
    const answer = await get(`/tools/docs/${path}`);
    expect([answer.status, answer.headers.get("content-type")], path).toEqual([200, type]);
    expect(answer.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none';/,
    );
    await answer.arrayBuffer();
  }
  expect((await get("/docs/")).status).toBe(404);
  const short = await get("/tools/docs");
  expect([short.status, short.headers.get("location")]).toEqual([308, "/tools/docs/"]);
});

test.each([
  ["tutorial", "./tutorial.html"],
  ["tutorial.md", "./tutorial.html"],
  ["how-to/agents", "./agents.html"],
  ["how-to/agents/", "../agents.html"],
  ["how-to/agents.md", "./agents.html"],
])("%s leads to the page", async (path, location) => {
  const answer = await get(`/tools/docs/${path}`);
  expect([answer.status, answer.headers.get("location")]).toEqual([302, location]);
  expect((await get(new URL(location, `http://none/tools/docs/${path}`).pathname)).status).toBe(200);
});

test.each([
  ["gzip, deflate, br", true],
  ["br, gzip;q=0.5", true],
  ["gzip;q=0", false],
  ["identity", false],
  ["", false],
])("with accept-encoding %j the page is compressed: %s", async (accepted, isPacked) => {
  const { headers, body } = await rawGet(
    "/tools/docs/",
    accepted === "" ? {} : { "accept-encoding": accepted },
  );
  expect(headers["content-encoding"]).toBe(isPacked ? "gzip" : undefined);
  expect(headers["vary"]).toBe("accept-encoding");
  expect(Number(headers["content-length"])).toBe(body.length);
  expect(body.subarray(0, 2).toString("hex") === "1f8b").toBe(isPacked);
});

test.each([
  "nothing.html",
  "how-to/",
  "how-to",
  "..%2f..%2fpackage.json",
  "%2e%2e%2fconsole%2fconsole.js",
  "site.json.br",
  "__proto__",
  `${"a".repeat(300)}.html`,
])("answers 404 to %s", async (name) => {
  const answer = await get(`/tools/docs/${name}`);
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("/docs/ lists all pages");
});

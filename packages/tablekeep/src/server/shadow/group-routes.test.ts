import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startServer } from "../start-server.ts";

let server: RunningServer;
beforeAll(async () => {
  const off = { mqtt: false, dynamodb: false, smtp: false } as const;
  server = await startServer({ memory: true, httpPort: 0, ...off });
});
afterAll(() => server.stop());

async function request(method: string, path: string, body?: unknown): Promise<[number, unknown]> {
  const base = server.listeners.find(({ name }) => name === "http")?.url;
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(new URL(path, base), init);
  return [response.status, await response.json()];
}

const root = "/api/v3/shadow-groups";

test("groups are created, changed, used in queries and deleted", async () => {
  for (const thing of ["lamp", "fan"])
    await request("PATCH", `/api/v3/shadows/${thing}`, { reported: { hot: thing === "lamp" } });
  expect(await request("PUT", `${root}/kitchen`, {})).toEqual([200, { name: "kitchen" }]);
  const hot = { name: "hot", query: "reported.hot = true" };
  expect(await request("PUT", `${root}/hot`, { query: hot.query })).toEqual([200, hot]);
  const things = ["lamp", "fan", "door"];
  expect(await request("POST", `${root}/kitchen/things/add`, { things })).toEqual([200, { name: "kitchen" }]);
  await request("POST", `${root}/kitchen/things/remove`, { things: ["door"] });
  expect(await request("GET", `${root}/kitchen/things`)).toEqual([200, { things: ["fan", "lamp"] }]);
  expect(await request("GET", root)).toEqual([200, { groups: [hot, { name: "kitchen" }] }]);
  const query = encodeURIComponent('group = "kitchen" and group = "hot"');
  expect(await request("GET", `/api/v3/shadows?query=${query}`)).toMatchObject([
    200,
    { shadows: [{ thing: "lamp" }] },
  ]);
  expect(await request("DELETE", `${root}/kitchen`)).toEqual([200, { deleted: "kitchen" }]);
  expect((await request("GET", `${root}/kitchen`))[0]).toBe(404);
  expect(await request("GET", `/api/v3/shadows?query=${query}`)).toMatchObject([
    404,
    { code: "SHADOW_GROUP_NOT_FOUND" },
  ]);
});

test("invalid requests are answered with what to correct", async () => {
  await request("PUT", `${root}/dynamic`, { query: "connected" });
  const answers = await Promise.all([
    request("PUT", `${root}/a%20b`, {}),
    request("PUT", `${root}/g`, { query: 7 }),
    request("PUT", `${root}/g`, { query: "connected and" }),
    request("PUT", `${root}/g`, { things: [] }),
    request("POST", `${root}/g/things/add`, { things: "lamp" }),
    request("POST", `${root}/g/things/add`, { things: ["lamp"] }),
    request("POST", `${root}/dynamic/things/add`, { things: ["lamp"] }),
    request("DELETE", `${root}/none`),
    request("GET", `${root}?limit=0`),
  ]);
  expect(answers.map(([status]) => status)).toEqual([400, 400, 400, 400, 400, 404, 409, 404, 400]);
});

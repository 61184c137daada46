import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startServer } from "../start-server.ts";

let server: RunningServer;
beforeAll(async () => {
  const off = { mqttPort: 0, dynamodb: false, smtp: false } as const;
  server = await startServer({ memory: true, httpPort: 0, ...off });
});
afterAll(() => server.stop());

async function request(path: string, init: RequestInit = {}): Promise<[number, string]> {
  const base = server.listeners.find(({ name }) => name === "http")?.url;
  const response = await fetch(new URL(path, base), init);
  return [response.status, await response.text()];
}

const list = (parameters: Record<string, string>) =>
  request(`/api/v3/shadows?${new URLSearchParams(parameters)}`);

test("returns the shadows that match a query, page by page, with their exact state", async () => {
  for (const at of [1, 2, 3, 4]) {
    const body = `{"reported":{"firmware":"2.${at + 7}","serial":900719925474099${at}},"desired":{"on":true}}`;
    expect((await request(`/api/v3/shadows/lamp-${at}`, { method: "PATCH", body }))[0]).toBe(200);
  }
  const query = 'reported.firmware < "2.11" and desired.on = true and reported.serial >= 9007199254740991';
  const found: string[] = [];
  let next: string | undefined;
  do {
    const [status, text] = await list({ query, limit: "2", ...(next && { next }) });
    expect(status).toBe(200);
    const page = JSON.parse(text) as { shadows: { thing: string; delta: object }[]; next?: string };
    expect(page.shadows.length).toBeLessThanOrEqual(2);
    found.push(...page.shadows.map(({ thing, delta }) => `${thing} ${JSON.stringify(delta)}`));
    ({ next } = page);
  } while (next !== undefined);
  expect(found.toSorted()).toEqual([1, 2, 3].map((at) => `lamp-${at} {"on":true}`));
  const [, text] = await list({ query, thing: "lamp-3" });
  expect(text).toContain('"serial":9007199254740993');
  expect(await list({ query, thing: "lamp-4" })).toEqual([200, '{"shadows":[]}']);
});

test("answers an invalid query with 400 and its place", async () => {
  const [status, text] = await list({ query: "reported.a = 1 or" });
  expect(status).toBe(400);
  expect(text).toContain("at character 18");
  expect((await list({ query: "" }))[0]).toBe(400);
  expect((await list({ query: "version = 1", next: "x" }))[0]).toBe(400);
  expect((await list({ query: "version = 1", limit: "1001" }))[0]).toBe(400);
  expect((await list({ query: "version = 1", prefix: "lamp" }))[0]).toBe(400);
});

test("an update that is not UTF-8, or cannot be stored as UTF-8, is rejected and stores nothing", async () => {
  const bytes = Buffer.concat([Buffer.from('{"desired":{"a":"'), Buffer.from([0xff]), Buffer.from('"}}')]);
  for (const body of [bytes, '{"desired":{"a":"\\ud800"}}'])
    expect((await request("/api/v3/shadows/odd", { method: "PATCH", body }))[0]).toBe(400);
  const body = '{"state":{"reported":{"a":"\\ud800"}}}';
  expect((await request("/things/odd/shadow", { method: "POST", body }))[0]).toBe(400);
  expect((await request("/api/v3/shadows/odd"))[0]).toBe(404);
});

import { connectAsync } from "mqtt";
import { afterEach, expect, test } from "vitest";
import { type RunningServer, startServer } from "../start-server.ts";

let server: RunningServer;
afterEach(() => server.stop());

async function start(history?: { readonly keep: number }): Promise<void> {
  const ports = { httpPort: 0, mqttPort: 0, dynamodb: false, smtp: false };
  server = await startServer({ memory: true, ...ports, shadows: { store: { history } } });
}

const urlOf = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";

async function request(path: string, init: RequestInit = {}): Promise<[number, unknown]> {
  const response = await fetch(new URL(path, urlOf("http")), init);
  return [response.status, await response.json()];
}

const patch = (body: object) => ({
  method: "PATCH",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

test("the history has the versions of AWS's path, of MQTT and of our own API", async () => {
  await start({ keep: 10 });
  await request("/things/lamp/shadow", { method: "POST", body: '{"state":{"desired":{"on":true}}}' });
  const client = await connectAsync(urlOf("mqtt"), { reconnectPeriod: 0 });
  await client.publishAsync("$aws/things/lamp/shadow/update", '{"state":{"reported":{"on":true}}}', {
    qos: 1,
  });
  await client.endAsync();
  await request("/api/v3/shadows/lamp", patch({ reported: { n: 12 } }));
  const [status, page] = await request("/api/v3/shadows/lamp/history");
  expect(status).toBe(200);
  expect(page).toMatchObject({
    gap: false,
    entries: [
      { version: 3, gap: false, changes: [{ path: "/reported/n", kind: "added", after: 12 }] },
      { version: 2, gap: false, changes: [{ path: "/reported/on", kind: "added", after: true }] },
      { version: 1, gap: false, changes: [{ path: "/desired/on", kind: "added", after: true }] },
    ],
  });
  expect(await request("/api/v3/shadows/lamp/history?path=/reported/on&limit=1")).toMatchObject([
    200,
    { entries: [{ version: 2 }] },
  ]);
  expect(await request("/api/v3/shadows/lamp/at?point=1")).toMatchObject([
    200,
    { version: 1, state: { desired: { on: true } } },
  ]);
  expect(await request("/api/v3/shadows/lamp/at?point=2999-01-01")).toMatchObject([200, { version: 3 }]);
  expect(await request("/api/v3/shadows/lamp/diff?from=1&to=3")).toMatchObject([
    200,
    { changes: [{ path: "/reported/on" }, { path: "/reported/n" }] },
  ]);
});

test("answers what is not kept with 404, and a request that is not valid with 400", async () => {
  await start({ keep: 10 });
  await request("/api/v3/shadows/lamp", patch({ reported: { n: 1 } }));
  expect((await request("/api/v3/shadows/lamp/at?point=7"))[0]).toBe(404);
  expect((await request("/api/v3/shadows/lamp/diff?from=1&to=7"))[0]).toBe(404);
  expect((await request("/api/v3/shadows/lamp/at?point=soon"))[0]).toBe(400);
  expect((await request("/api/v3/shadows/lamp/history?path=firmware"))[0]).toBe(400);
  expect((await request("/api/v3/shadows/lamp/history?next=x"))[0]).toBe(400);
});

test("a server without history answers 400, with the setting that enables it", async () => {
  await start();
  const [status, body] = await request("/api/v3/shadows/lamp/history");
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain("--shadow-history");
});

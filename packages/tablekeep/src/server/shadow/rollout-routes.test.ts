import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startServer } from "../start-server.ts";

let server: RunningServer;
beforeAll(async () => {
  const off = { mqtt: false, dynamodb: false, smtp: false } as const;
  server = await startServer({ memory: true, httpPort: 0, ...off });
});
afterAll(() => server.stop());

async function request(method: string, path: string, body?: string): Promise<[number, unknown]> {
  const base = server.listeners.find(({ name }) => name === "http")?.url;
  const response = await fetch(new URL(path, base), { method, ...(body !== undefined && { body }) });
  return [response.status, await response.json()];
}

const root = "/api/v3/shadow-rollouts";
const desired = '{"firmware":"2.1","serial":9007199254740993}';

test("the server runs a rollout, and rolls it back", async () => {
  for (const thing of ["lamp", "fan"])
    await request("PATCH", `/api/v3/shadows/${thing}`, `{"desired":{"firmware":"2.${thing.length}"}}`);
  const created = await request(
    "POST",
    root,
    `{"name":"v2","query":"desired.firmware exists","desired":${desired},"waves":["50%"],"gate":{"succeeded":0.5}}`,
  );
  expect(created).toMatchObject([200, { name: "v2", phase: "preparing", gate: { succeeded: 0.5 } }]);
  const things = async () => (await request("GET", `${root}/v2/things`))[1];
  await expect.poll(things).toEqual({
    things: [
      { thing: "fan", wave: 1, status: "applied" },
      { thing: "lamp", wave: 2, status: "waiting" },
    ],
  });
  expect(await request("GET", "/api/v3/shadows/fan")).toMatchObject([200, { delta: { firmware: "2.1" } }]);
  expect(await request("POST", `${root}/v2/pause`)).toMatchObject([200, { phase: "paused", waves: [1, 1] }]);
  expect(await request("POST", `${root}/v2/resume`, '{"accept":true}')).toMatchObject([
    200,
    { phase: "running" },
  ]);
  await expect.poll(things).toMatchObject({ things: [{}, { thing: "lamp", status: "applied" }] });
  await request("POST", `${root}/v2/rollback`);
  await expect
    .poll(async () => (await request("GET", root))[1])
    .toMatchObject({ rollouts: [{ phase: "rolled-back" }] });
  for (const thing of ["lamp", "fan"])
    expect((await request("GET", `/api/v3/shadows/${thing}`))[1]).toMatchObject({
      state: { desired: { firmware: `2.${thing.length}` } },
    });
});

test("invalid requests are answered with what to correct", async () => {
  await request("POST", root, `{"name":"taken","query":"version = 0","desired":${desired}}`);
  const answers = await Promise.all([
    request("POST", root, "[]"),
    request("POST", root, "{"),
    request("POST", root, `{"name":"x","desired":${desired}}`),
    request("POST", root, `{"name":"x","query":"version =","desired":${desired}}`),
    request("POST", root, `{"name":"taken","query":"version = 1","desired":${desired}}`),
    request("POST", `${root}/none/pause`),
    request("POST", `${root}/taken/resume`, '{"accept":1}'),
    request("GET", `${root}/none`),
    request("GET", `${root}/none/things`),
  ]);
  expect(answers.map(([status]) => status)).toEqual([400, 400, 400, 400, 409, 404, 400, 404, 404]);
});

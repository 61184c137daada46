import { type Clock, type Item, systemClock } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startServer } from "../start-server.ts";
import { type JournalVerification, JournalVerifier } from "./journal-verifier.ts";

let engine: Engine;
let server: RunningServer;
let base: string;
beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  const options = { port: engine, createTables: true, httpPort: 0, mail: false, shadows: false } as const;
  server = await startServer({ ...options, smtp: false, mqtt: false });
  base = `${server.listeners[0]?.url}api/v3/journals/journal`;
  for (const id of ["one", "two", "three"])
    await send(`/ids/${id}/events`, { events: [{ payload: 1 }, { payload: 2 }] });
});
afterAll(async () => {
  await server.stop();
  await engine.close();
});

interface Repaired {
  readonly repairs: readonly { readonly status: string }[];
}
async function send(path: string, body: unknown): Promise<[number, Repaired]> {
  const answer = await fetch(`${base}${path}`, { method: "POST", body: JSON.stringify(body) });
  return [answer.status, (await answer.json()) as Repaired];
}
const verify = async (query = "") =>
  (await fetch(`${base}/verification${query}`)).json() as Promise<JournalVerification>;
const items = async (): Promise<Item[]> => (await engine.scan({ TableName: "events" })).Items ?? [];

/** Removes the entries of ids from the registry. */
async function unregister(...ids: string[]): Promise<void> {
  for (const { par, num, persistence_id } of await items())
    if (par !== undefined && num !== undefined && ids.includes(persistence_id?.S ?? ""))
      await engine.deleteItem({ TableName: "events", Key: { par, num } });
}

test("a journal without damage has no findings", async () => {
  expect(await verify()).toEqual({
    ids: 3,
    rows: expect.any(Number),
    error: 0,
    warning: 0,
    info: 0,
    complete: true,
    findings: [],
  });
});

test("findings are repaired as they were listed, and no others", async () => {
  await unregister("one", "two");
  const { findings, info } = await verify();
  expect([info, findings.map((each) => each.persistenceId)]).toEqual([2, ["one", "two"]]);
  expect((await verify("?id=two")).findings).toEqual([findings[1]]);
  const before = await items();
  const wrong = { ...findings[0], repair: { action: "raise-high-mark", to: 9 } };
  expect(await send("/repairs", { findings: [wrong] })).toEqual([
    200,
    { repairs: [{ persistenceId: "one", action: "raise-high-mark", status: "not-needed" }] },
  ]);
  expect(await items()).toEqual(before);
  const registered = { persistenceId: "one", action: "register" };
  expect(await send("/repairs", { findings: [findings[0]] })).toEqual([
    200,
    { repairs: [{ ...registered, status: "done" }] },
  ]);
  expect((await verify()).findings).toEqual([findings[1]]);
  expect((await send("/repairs", { findings: [findings[0]] }))[1].repairs[0]?.status).toBe("not-needed");
});

test.each([
  [undefined],
  [{}],
  [{ findings: [] }],
  [{ findings: [{ repair: {} }] }],
  [{ findings: [{ persistenceId: "a" }] }],
])("%j is status 400", async (body) => {
  expect((await send("/repairs", body))[0]).toBe(400);
});

test("one journal is verified at a time, and within a time", async () => {
  const verifier = new JournalVerifier(engine, systemClock);
  const { signal } = new AbortController();
  const running = verifier.verify({}, undefined, signal);
  await expect(verifier.verify({}, undefined, signal)).rejects.toMatchObject({ status: 429 });
  expect(await running).toMatchObject({ complete: true, ids: 3 });
  const overAtOnce: Clock = {
    ...systemClock,
    after(_, callback) {
      callback();
      return () => {};
    },
  };
  const short = new JournalVerifier(engine, overAtOnce);
  expect(await short.verify({}, undefined, signal)).toMatchObject({ complete: false });
  await expect(short.verify({}, undefined, AbortSignal.abort())).rejects.toThrow();
});

test("a discovered journal is verified, and not repaired", async () => {
  const options = {
    memory: true,
    httpPort: 0,
    dynamodb: false,
    mail: false,
    smtp: false,
    mqtt: false,
  } as const;
  await using other = await startServer({ ...options, shadows: false });
  const api = `${other.listeners[0]?.url}api/v3/`;
  const keys = { partitionKey: { name: "par" }, sortKey: { name: "num", type: "N" } };
  await fetch(`${api}tables`, { method: "POST", body: JSON.stringify({ name: "found", ...keys }) });
  expect((await fetch(`${api}journals/found/verification`)).status).toBe(200);
  const body = JSON.stringify({ findings: [{ persistenceId: "a", repair: { action: "register" } }] });
  expect((await fetch(`${api}journals/found/repairs`, { method: "POST", body })).status).toBe(403);
});

import { readFileSync } from "node:fs";
import { connect, ensureTable } from "@tablekeep/client";
import { type Item, silentLogger, systemClock, wrapPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal, openSnapshots, snapshotTableSpec } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describedOperations, servedOperations } from "../../../test/served-operations.ts";
import { type RunningServer, startServer } from "../start-server.ts";
import { journalRoutes } from "./journal-routes.ts";
import { ServedJournals } from "./served-journals.ts";

let engine: Engine;
let server: RunningServer;
let base: string;
/** Called before each request of the server. */
let onRequest: (input: object) => Promise<void> = async () => {};

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, journalTableSpec());
  await ensureTable(engine, snapshotTableSpec());
  const journal = await openJournal(engine);
  const writer = await journal.recover("cart/1 ü");
  await writer.appendEach([{ payload: { n: 1 }, tags: ["a"], timestamp: 1000 }, { payload: 7n }]);
  await using snapshots = await openSnapshots(engine, { journal });
  await snapshots.save("cart/1 ü", 2, { total: 2 });
  const port = wrapPort(engine, async (operation, input, options, next) => {
    await onRequest(input);
    return next(operation, input, options);
  });
  server = await startServer({ port, httpPort: 0, mail: false, shadows: false });
  base = `${server.listeners[0]?.url}api/v3/journals`;
});
afterAll(async () => {
  await server.stop();
  await engine.close();
});

const cart = encodeURIComponent("cart/1 ü");

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${base}${path}`);
  return { status: answer.status, body: await answer.json() };
}

interface Appended {
  readonly status: number;
  readonly retryAfter?: string;
  readonly body: unknown;
}

async function append(id: string, body: unknown): Promise<Appended> {
  const answer = await fetch(`${base}/journal/ids/${id}/events`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  const retryAfter = answer.headers.get("retry-after");
  return { status: answer.status, ...(retryAfter && { retryAfter }), body: await answer.json() };
}

describe("reading", () => {
  test("the journals, their ids and the position of an id", async () => {
    expect((await get("")).body).toEqual({
      journals: [
        {
          name: "journal",
          table: "events",
          layout: "packed",
          snapshotTable: "events",
        },
      ],
    });
    expect((await get("/journal/ids")).body).toEqual({ ids: expect.arrayContaining(["cart/1 ü"]) });
    expect((await get(`/journal/ids/${cart}`)).body).toEqual({
      persistenceId: "cart/1 ü",
      highestSequenceNr: 2,
      lowestSequenceNr: 1,
    });
    expect((await get("/other/ids")).status).toBe(404);
  });

  test("events page by page, 64-bit numbers as digits", async () => {
    const first = await get(`/journal/ids/${cart}/events?limit=1`);
    expect(first.body).toMatchObject({
      events: [{ sequenceNr: 1, payload: { n: 1 }, tags: ["a"], timestamp: 1000 }],
      next: 2,
    });
    const second = await get(`/journal/ids/${cart}/events?from=2`);
    expect(second.body).toMatchObject({ events: [{ sequenceNr: 2, payload: "7" }] });
    expect(second.body).not.toHaveProperty("next");
    expect((await get("/journal/ids/nobody/events")).body).toEqual({ events: [] });
    expect((await get(`/journal/ids/${cart}/events?limit=0`)).status).toBe(400);
    expect((await get(`/journal/ids/${cart}/events?from=x`)).status).toBe(400);
    for (const order of ["asc", "desc"])
      expect((await get(`/journal/ids/${cart}/events?from=2&to=1&order=${order}`)).status).toBe(400);
  });

  test("events from the end, also through the middle of an atomic write", async () => {
    const one = (n: number) => ({ payload: n });
    await append("back", { events: [1, 2].map(one) });
    await append("back", { events: [3, 4, 5, 6].map(one) });
    await append("back", { events: [one(7)] });
    const seen: unknown[] = [];
    let to: number | undefined;
    do {
      const { body } = await get(
        `/journal/ids/back/events?order=desc&limit=2${to === undefined ? "" : `&to=${to}`}`,
      );
      const page = body as { events: { payload: number }[]; next?: number };
      seen.push(page.events.map(({ payload }) => payload));
      to = page.next;
    } while (to !== undefined);
    expect(seen).toEqual([[7, 6], [5, 4], [3, 2], [1]]);
    expect((await get("/journal/ids/back/events?order=desc&from=6")).body).toMatchObject({
      events: [{ payload: 7 }, { payload: 6 }],
    });
    expect((await get("/journal/ids/back/events?to=4")).body).toMatchObject({
      events: [{ payload: 1 }, { payload: 2 }, { payload: 3 }, { payload: 4 }],
    });
    expect((await get("/journal/ids/back/events?from=4&limit=2")).body).toMatchObject({
      events: [{ payload: 4 }, { payload: 5 }],
      next: 6,
    });
    expect((await get("/journal/ids/nobody/events?order=desc")).body).toEqual({ events: [] });
    expect((await get("/journal/ids/back/events?order=up")).status).toBe(400);
  });

  test("ids that begin with something, page by page", async () => {
    for (const id of ["p-1", "p-2", "p-3"]) await append(id, { events: [{ payload: 1 }] });
    const found: string[] = [];
    let after = "";
    do {
      const { body } = await get(`/journal/ids?prefix=p-&limit=2&after=${after}`);
      const page = body as { ids: string[]; next?: string };
      found.push(...page.ids);
      after = page.next ?? "";
    } while (after !== "");
    expect(found.sort()).toEqual(["p-1", "p-2", "p-3"]);
  });

  test("bytes are distinguished from strings", async () => {
    const writer = await (await openJournal(engine)).recover("bytes");
    await writer.appendEach([{ payload: Uint8Array.of(1, 2) }, { payload: "AQI=" }]);
    expect((await get("/journal/ids/bytes/events")).body).toMatchObject({
      events: [
        { payload: "AQI=", payloadForm: "bytes" },
        { payload: "AQI=", payloadForm: "json" },
      ],
    });
  });

  test("snapshots, one by its number and the latest", async () => {
    expect((await get(`/journal/ids/${cart}/snapshots`)).body).toMatchObject({
      snapshots: [{ sequenceNr: 2 }],
    });
    for (const name of ["2", "latest"])
      expect((await get(`/journal/ids/${cart}/snapshots/${name}`)).body).toMatchObject({
        state: { total: 2 },
      });
    expect((await get(`/journal/ids/${cart}/snapshots/1`)).status).toBe(404);
    expect((await get(`/journal/ids/${cart}/snapshots/x`)).status).toBe(400);
  });

  test("counts", async () => {
    expect((await get(`/journal/stats?id=${cart}`)).body).toMatchObject({ ids: 1, events: 2 });
  });
});

describe("appending", () => {
  test("with the expected sequence number, once", async () => {
    expect(await append("a", { events: [{ payload: "x" }], expected: 0 })).toEqual({
      status: 200,
      body: { outcomes: [{ outcome: "ok", first: 1, last: 1 }] },
    });
    for (const expected of [0, "none", 2])
      expect(await append("a", { events: [{ payload: "x" }], expected })).toMatchObject({
        status: 409,
        body: { outcomes: [{ outcome: "conflict", code: "JOURNAL_CONFLICT", highest: 1 }] },
      });
    expect((await append("a", { events: [{ payload: "y" }, { payload: "z" }], expected: 1 })).body).toEqual({
      outcomes: [{ outcome: "ok", first: 2, last: 3 }],
    });
  });

  test("from 1 again after the id was purged", async () => {
    const events = [{ payload: 1 }, { payload: 2 }];
    const first = { outcomes: [{ outcome: "ok", first: 1, last: 2 }] };
    expect((await append("purged", { events })).body).toEqual(first);
    await (await openJournal(engine)).purge("purged");
    expect((await append("purged", { events })).body).toEqual(first);
    expect((await get("/journal/ids/purged/events")).body).toMatchObject({
      events: [{ sequenceNr: 1 }, { sequenceNr: 2 }],
    });
  });

  test("concurrently, each with its own sequence number", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        append("many", { events: [{ payload: n }, { payload: n }], atomic: false }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await get("/journal/ids/many")).body).toMatchObject({ highestSequenceNr: 40 });
  });

  test("to one id only as many at once as may wait, and to other ids meanwhile", async () => {
    const held = gate();
    onRequest = async (input) => {
      if (JSON.stringify(input).includes("crowded")) await held.opened;
    };
    const all = Array.from({ length: 260 }, () => append("crowded", { events: [{ payload: 1 }] }));
    const rejected: Appended[] = [];
    for (const each of all) void each.then((answer) => void rejected.push(answer));
    await expect.poll(() => rejected.length).toBe(10);
    for (const answer of rejected)
      expect(answer).toMatchObject({
        status: 429,
        retryAfter: "1",
        body: { outcomes: [{ outcome: "rejected", code: "JOURNAL_WRITER_BUSY" }] },
      });
    expect(await append("quiet", { events: [{ payload: 1 }] })).toMatchObject({ status: 200 });
    const each = { events: [{ payload: 1 }, { payload: 2 }], atomic: false };
    expect(await append("crowded", each)).toMatchObject({
      status: 429,
      body: { outcomes: [{ outcome: "rejected" }, { outcome: "rejected" }] },
    });
    held.open();
    onRequest = async () => {};
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect(await append("crowded", each)).toMatchObject({ status: 200 });
    // On a slow machine, the append that was held may be past its deadline.
    const stored = statuses.filter((status) => status === 200).length;
    expect(stored).toBeGreaterThanOrEqual(249);
    expect((await get("/journal/ids/crowded")).body).toMatchObject({ highestSequenceNr: stored + 2 });
  });

  test("rejects an event that is too large, and stores nothing", async () => {
    const answer = await append("large", { events: [{ payload: "x".repeat(500_000) }] });
    expect(answer).toMatchObject({ status: 413, body: { outcomes: [{ outcome: "rejected" }] } });
    expect((await get("/journal/ids/large")).body).toMatchObject({ highestSequenceNr: 0 });
  });

  test.each([
    [undefined],
    [[]],
    [{}],
    [{ events: [] }],
    [{ events: [{}] }],
    [{ events: [{ payload: 1, tags: [1] }] }],
    [{ events: [{ payload: 1, other: 1 }] }],
    [{ events: [{ payload: 1 }], expected: -1 }],
    [{ events: [{ payload: 1 }], expected: "some" }],
    [{ events: [{ payload: 1 }], expected: 0, atomic: false }],
    [{ events: [{ payload: 1 }], other: 1 }],
  ])("%j is status 400", async (body) => {
    expect((await append("a", body)).status).toBe(400);
  });
});

test("a client that follows an id receives events as they are appended, and can resume", async () => {
  const live = await fetch(`${base}/journal/ids/live/events/live`);
  const reader = (live.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  await append("live", { events: [{ payload: "one" }] });
  let text = "";
  while (!text.includes('"one"')) text += (await reader.read()).value ?? "";
  await reader.cancel();
  await append("live", { events: [{ payload: "two" }] });
  const again = await fetch(`${base}/journal/ids/live/events/live`, { headers: { "last-event-id": "1" } });
  const rest = (again.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  text = "";
  while (!text.includes('"two"')) text += (await rest.read()).value ?? "";
  expect(text).not.toContain('"one"');
  await rest.cancel();
});

test("an invalid start number is rejected with status 400, not with a stream that ends at once", async () => {
  for (const from of ["abc", "0", "9007199254740992"])
    expect((await fetch(`${base}/journal/ids/live/events/live?from=${from}`)).status).toBe(400);
  expect((await fetch(`${base}/none/ids/live/events/live`)).status).toBe(404);
});

test("the OpenAPI document has every operation and no other", async () => {
  const common = { clock: systemClock, logger: silentLogger };
  const backend = {
    port: engine,
    tables: [],
    addTable: async () => {},
    use: () => ({}),
    close: async () => {},
  };
  const routes = journalRoutes(new ServedJournals([], backend, common), backend, undefined, systemClock);
  expect(describedOperations(routes)).toEqual(servedOperations(routes));
  const served = await fetch(new URL("/api/v3/openapi.json", base));
  expect(await served.json()).toMatchObject({
    openapi: "3.1.0",
    paths: { "/api/v3/journals/{journal}/ids/{id}/events": { post: { operationId: "appendEvents" } } },
  });
});

describe("journals that a program has written into the folder", () => {
  const from = { memory: true, httpPort: 0, dynamodbPort: 0, smtp: false, mqtt: false } as const;

  test("list the ids that an Akka plugin wrote, page by page", async () => {
    const file = new URL("../../../../journal/test/fixtures/akka-1.3/journal.json", import.meta.url);
    const bytes = (name: string, value: unknown) =>
      name === "B" ? new Uint8Array(Buffer.from(value as string, "base64")) : value;
    const { Items } = JSON.parse(readFileSync(file, "utf8"), bytes) as { Items: Item[] };
    const keys = Items.map(({ par }) => par?.S ?? "");
    const expected = new Set(keys.flatMap((key) => /^journal-P-(.*)-\d+$/.exec(key)?.[1] ?? []));
    await using running = await startServer(from);
    const urlOf = (name: string) => running.listeners.find((each) => each.name === name)?.url ?? "";
    const credentials = { accessKeyId: "a", secretAccessKey: "b" };
    await using akka = connect({ endpoint: urlOf("dynamodb"), credentials });
    await ensureTable(akka, journalTableSpec({ table: "akka", layout: "bucketed" }));
    for (const Item of Items) await akka.putItem({ TableName: "akka", Item });
    const found: string[] = [];
    let after = "";
    do {
      const path = `/api/v3/journals/akka/ids?limit=3&after=${encodeURIComponent(after)}`;
      const answer = await fetch(new URL(path, urlOf("http")));
      expect(answer.status).toBe(200);
      const page = (await answer.json()) as { ids: string[]; next?: string; scan?: true };
      expect(page.scan).toBe(true);
      found.push(...page.ids);
      after = page.next ?? "";
    } while (after !== "");
    expect(found.sort()).toEqual([...expected].sort());
  });

  test("are discovered, in every layout, and only read", async () => {
    await using running = await startServer(from);
    const urlOf = (name: string) => running.listeners.find((each) => each.name === name)?.url ?? "";
    const at = (path: string) => new URL(`/api/v3/journals${path}`, urlOf("http"));
    const read = async (path: string) => (await fetch(at(path))).json();
    const names = async () => {
      const { journals } = (await read("")) as { journals: { name: string; layout: string }[] };
      return journals.map(({ name, layout }) => [name, layout]);
    };
    expect(await names()).toEqual([["journal", "packed"]]);
    const connection = {
      endpoint: urlOf("dynamodb"),
      credentials: { accessKeyId: "a", secretAccessKey: "b" },
    };
    await using port = connect(connection);
    for (const layout of ["packed", "bucketed", "linear", "scattered"] as const) {
      const table = `orders-${layout}`;
      await ensureTable(port, journalTableSpec({ table, layout }));
      const writer = await (await openJournal(port, { table, layout })).recover("order 1");
      await writer.append({ payload: { layout } });
    }
    await ensureTable(port, { ...journalTableSpec({ table: "other", layout: "linear" }) });
    expect(await names()).toEqual([
      ["journal", "packed"],
      ["orders-bucketed", "bucketed"],
      ["orders-linear", "linear"],
      ["orders-packed", "packed"],
      ["orders-scattered", "scattered"],
    ]);
    for (const layout of ["packed", "bucketed", "linear", "scattered"]) {
      const scan = layout === "scattered" && { scan: true };
      expect(await read(`/orders-${layout}/ids`)).toEqual({ ids: ["order 1"], ...scan });
      expect(await read(`/orders-${layout}/ids/order%201/events`)).toMatchObject({
        events: [{ sequenceNr: 1, payload: { layout } }],
      });
      expect(await read(`/orders-${layout}/ids/order%201/snapshots`)).toEqual({ snapshots: [] });
      expect((await fetch(at(`/orders-${layout}/ids/order%201/snapshots/latest`))).status).toBe(404);
      expect(await read(`/orders-${layout}/stats`)).toMatchObject({ ids: 1, events: 1 });
      const body = JSON.stringify({ events: [{ payload: 1 }] });
      const appended = await fetch(at(`/orders-${layout}/ids/order%201/events`), { method: "POST", body });
      expect(appended.status).toBe(403);
    }
    expect((await fetch(at("/other/ids"))).status).toBe(404);
  });

  test("are not discovered by a server that is configured without journals", async () => {
    await using running = await startServer({ ...from, journals: [] });
    const answer = await fetch(new URL("/api/v3/journals", running.listeners[0]?.url));
    expect(await answer.json()).toEqual({ journals: [] });
  });
});

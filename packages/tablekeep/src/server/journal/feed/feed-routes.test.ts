import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readMetrics } from "../../../../test/read-metrics.ts";
import { servedRoutes } from "../../../../test/served-endpoints.ts";
import { describedOperations, servedOperations } from "../../../../test/served-operations.ts";
import { type RunningServer, startServer } from "../../start-server.ts";

const options = { memory: true, httpPort: 0, dynamodb: false, mail: false, shadows: false } as const;
let server: RunningServer;
let root: string;

beforeAll(async () => {
  server = await startServer({ ...options, feed: true });
  root = server.listeners[0]?.url ?? "";
  await append("cart|1", "one", ["a"]);
  await append("cart|1", "two");
  await append("user|1", "three", ["a"]);
  await untilEvents(3);
});
afterAll(() => server.stop());

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(new URL(`/api/v3/journals/${path}`, root));
  return { status: answer.status, body: await answer.json() };
}

async function append(id: string, payload: unknown, tags: readonly string[] = []): Promise<void> {
  const answer = await fetch(new URL(`/api/v3/journals/journal/ids/${encodeURIComponent(id)}/events`, root), {
    method: "POST",
    body: JSON.stringify({ events: [{ payload, tags }] }),
  });
  expect(answer.status).toBe(200);
}

interface Page {
  readonly events: readonly { readonly payload: unknown; readonly position: string }[];
  readonly position?: string;
  readonly more: boolean;
}

async function read(query = ""): Promise<Page> {
  const { status, body } = await get(`journal/feed/events${query}`);
  expect(status).toBe(200);
  return body as Page;
}

/** Reads the live stream until so many events have come: the sequencer of the same server announces them. */
async function untilEvents(count: number): Promise<void> {
  const answer = await fetch(new URL("/api/v3/journals/journal/feed/live", root));
  await readStream(answer, (text) => text.split("event: event").length > count);
}

async function readStream(answer: Response, isDone: (text: string) => boolean): Promise<string> {
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!isDone(text)) text += (await reader.read()).value ?? "";
  await reader.cancel();
  return text;
}

test("returns the last events of each slice", async () => {
  const { events, more } = await read("?last=1");
  // Two events of an id are in one slice.
  expect(events.map(({ payload }) => payload)).not.toContain("one");
  expect(events.map(({ payload }) => payload)).toContain("two");
  expect(more).toBe(false);
  expect(payloads(await read("?last=1000"))).toEqual(payloads(await read()));
  for (const query of ["last=0", "last=1001", "last=x", "last=5&from=end"])
    expect(await get(`journal/feed/events?${query}`)).toMatchObject({ status: 400 });
});

const payloads = ({ events }: Page) => events.map(({ payload }) => payload).toSorted();

describe("the feed of a journal", () => {
  test("has a status", async () => {
    expect(await get("journal/feed")).toMatchObject({
      status: 200,
      body: { name: "all", events: 3, sequencer: { running: true, failures: 0 } },
    });
  });

  test("is read page by page, and continued when events follow", async () => {
    const seen: unknown[] = [];
    let from = "start";
    for (let more = true; more; ) {
      const page = await read(`?limit=2&from=${from}`);
      seen.push(...page.events.map(({ payload }) => payload));
      more = page.more;
      from = page.position ?? from;
    }
    expect(seen.toSorted()).toEqual(["one", "three", "two"]);
    expect(await read(`?from=${from}`)).toEqual({ events: [], position: from, more: false });
    await append("cart|9", "four");
    await untilEvents(4);
    expect(payloads(await read(`?from=${from}`))).toEqual(["four"]);
  });

  test("is read by type, tag, slices and time", async () => {
    expect(payloads(await read("?type=user"))).toEqual(["three"]);
    expect(payloads(await read("?tag=a"))).toEqual(["one", "three"]);
    expect(payloads(await read("?tag=a&type=cart"))).toEqual(["one"]);
    const halves = [await read("?slices=0-511"), await read("?slices=512-1023")];
    expect(halves.flatMap(payloads)).toHaveLength(payloads(await read()).length);
    expect(payloads(await read("?from=2000-01-01T00:00:00Z&type=user"))).toEqual(["three"]);
    const position = expect.stringMatching(/^1\../);
    expect(await read("?from=2999-01-01T00:00:00Z")).toEqual({ events: [], position, more: false });
    expect(await read("?from=end")).toEqual({ events: [], position, more: false });
    expect(await read("?tag=none")).toEqual({ events: [], position, more: false });
  });

  test("is followed, and resumed after the last event that was received", async () => {
    const url = new URL("/api/v3/journals/journal/feed/live?type=live", root);
    const first = await fetch(url);
    await append("live|1", "before");
    const text = await readStream(first, (received) => received.includes('"before"'));
    const [, id = ""] = /^id: (.+)$/m.exec(text) ?? [];
    await append("live|1", "after");
    const resumed = await fetch(url, { headers: { "last-event-id": id } });
    expect(await readStream(resumed, (received) => received.includes('"after"'))).not.toContain('"before"');
  });

  test("a reader of the end gets what comes after it, on its next page", async () => {
    const { position } = await read("?from=end&type=end");
    await append("end|1", "next");
    const live = await fetch(new URL("/api/v3/journals/journal/feed/live?type=end", root));
    await readStream(live, (text) => text.includes('"next"'));
    expect(payloads(await read(`?type=end&from=${position}`))).toEqual(["next"]);
  });

  test("a stream of new events has the position of the end before there is an event", async () => {
    const url = new URL("/api/v3/journals/journal/feed/live?from=end&type=late", root);
    const text = await readStream(await fetch(url), (received) => /^id: .+$/m.test(received));
    const [, id = ""] = /^id: (.+)$/m.exec(text) ?? [];
    await append("late|1", "between");
    const resumed = await fetch(url, { headers: { "last-event-id": id } });
    expect(await readStream(resumed, (received) => received.includes("data:"))).toContain('"between"');
  });

  test("is compared with the journal", async () => {
    const { body } = await get("journal/feed/verification");
    expect(body).toMatchObject({ found: 0, findings: [] });
  });

  test.each([
    ["events?limit=0", 400, undefined],
    ["events?limit=1001", 400, undefined],
    ["events?slices=9-1", 400, undefined],
    ["events?slices=0-1024", 400, undefined],
    ["events?from=nowhere", 400, "FEED_POSITION_INVALID"],
    ["events?from=9.AAAA", 409, "FEED_POSITION_OUTDATED"],
    ["live?from=nowhere", 400, "FEED_POSITION_INVALID"],
    ["live?from=9.AAAA", 409, "FEED_POSITION_OUTDATED"],
  ])("rejects %s with status %i", async (path, status, code) => {
    const answer = await get(`journal/feed/${path}`);
    expect([answer.status, (answer.body as { code?: string }).code]).toEqual([status, code]);
  });

  test("has metrics", async () => {
    const { value } = await readMetrics(new URL(root));
    expect(value('tablekeep_feed_running{journal="journal"}')).toBe(1);
    expect(value('tablekeep_feed_events_total{journal="journal"}')).toBeGreaterThanOrEqual(3);
  });

  test("has its operations in the OpenAPI document", async () => {
    const routes = (await servedRoutes(options)).filter(({ path }) => path.includes("/feed"));
    expect(routes.length).toBeGreaterThan(3);
    expect(describedOperations(routes)).toEqual(servedOperations(routes));
  });
});

test("exists when the server has started", async () => {
  await using other = await startServer({ ...options, feed: true });
  for (const path of ["feed", "feed/events"]) {
    const answer = await fetch(new URL(`/api/v3/journals/journal/${path}`, other.listeners[0]?.url));
    expect([path, answer.status]).toEqual([path, 200]);
  }
});

test("a server that does not run feeds answers that there is none", async () => {
  await using other = await startServer(options);
  for (const path of ["feed", "feed/events", "feed/live", "feed/verification"]) {
    const answer = await fetch(new URL(`/api/v3/journals/journal/${path}`, other.listeners[0]?.url));
    expect([path, answer.status, await answer.json()]).toEqual([
      path,
      404,
      expect.objectContaining({ code: "FEED_UNKNOWN" }),
    ]);
  }
});

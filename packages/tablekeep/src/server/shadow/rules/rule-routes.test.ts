import { ensureTable } from "@tablekeep/client";
import { systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { ensureStream } from "@tablekeep/feed";
import { shadowTableSpec } from "@tablekeep/shadow";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../start-server.ts";
import { RuleItems } from "./rule-items.ts";

interface Page {
  readonly parked: readonly { readonly id: string; readonly event: { readonly text: string } }[];
  readonly next?: string;
}

/** A server whose rule has given up these events, by the lengths of their texts. */
async function serve(lengths: readonly number[]) {
  const engine = await openEngine({ storage: { kind: "memory" } });
  onTestFinished(() => engine.close());
  await ensureTable(engine, shadowTableSpec());
  const table = shadowTableSpec().name;
  await ensureStream(engine, table, "NEW_AND_OLD_IMAGES");
  const items = new RuleItems({ port: engine, table, rule: "lights", clock: systemClock });
  for (const [at, length] of lengths.entries()) {
    const order = String(at + 1).padStart(17, "0");
    const event = { order, id: `event-${at}`, thing: "lamp", name: "", version: at + 1, attempts: 12 };
    await items.park(event, JSON.stringify({ text: "x".repeat(length) }), "ECONNREFUSED");
  }
  const rules = [{ name: "lights", on: "update", url: "http://127.0.0.1:9/" }] as const;
  const off = { mail: false, journals: [], mqtt: false, dynamodb: false } as const;
  const server = await startServer({ port: engine, httpPort: 0, ...off, shadows: { rules } });
  onTestFinished(() => server.stop());
  return async (query: string) => {
    const url = new URL(`/api/v3/shadow-rules/lights/parked${query}`, server.listeners[0]?.url);
    const answer = await fetch(url);
    return { status: answer.status, text: await answer.text() };
  };
}

async function allPages(get: Awaited<ReturnType<typeof serve>>, limit: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (let next: string | undefined = ""; next !== undefined; next = pages.at(-1)?.next) {
    const { status, text } = await get(`?${limit}&next=${next}`);
    expect(status).toBe(200);
    pages.push(JSON.parse(text) as Page);
  }
  return pages;
}

test("parked events come in pages, the oldest first", async () => {
  const get = await serve(Array.from({ length: 7 }, () => 10));
  const pages = await allPages(get, "limit=3");
  expect(pages.map(({ parked }) => parked.length)).toEqual([3, 3, 1]);
  expect(pages.flatMap(({ parked }) => parked.map(({ id }) => id))).toEqual(
    Array.from({ length: 7 }, (_unused, at) => `event-${at}`),
  );
  expect((await allPages(get, "limit=7")).map(({ parked }) => parked.length)).toEqual([7]);
});

test("a page has at most 4 MiB of events", async () => {
  const get = await serve(Array.from({ length: 30 }, () => 300_000));
  const pages = await allPages(get, "limit=1000");
  for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(5 * 1024 * 1024);
  expect(pages.length).toBe(3);
  expect(pages.flatMap(({ parked }) => parked)).toHaveLength(30);
});

test.each(["?limit=0", "?limit=1001", "?next=x"])("%s is rejected", async (query) => {
  const get = await serve([]);
  expect((await get(query)).status).toBe(400);
});

/** Events of a feed that cannot be read, over HTTP and at the command line. */
import { httpPort } from "@tablekeep/client";
import { openJournal } from "@tablekeep/journal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningServer, startServer } from "../src/server/start-server.ts";
import { damageEvent } from "./damage-event.ts";
import { runMain, startMain } from "./run-main.ts";
import { tempFolder } from "./temp-folder.ts";

type Row = Record<string, unknown>;

const folder = tempFolder();
const here = ["--data", folder];
const anyPorts = { httpPort: 0, dynamodbPort: 0, smtpPort: 0, mqttPort: 0 };
let server: RunningServer;
let port: ReturnType<typeof httpPort>;
let root = "";

const urlOf = (listener: string) => server.listeners.find(({ name }) => name === listener)?.url ?? "";

async function append(id: string, ...payloads: string[]): Promise<void> {
  const journal = await openJournal(port);
  for (const payload of payloads) {
    const writer = await journal.recover(id);
    expect(await writer.append({ payload, tags: ["a"] })).toMatchObject({ kind: "ok" });
  }
}

beforeAll(async () => {
  server = await startServer({ dataFolder: folder, ...anyPorts, mail: false, shadows: false, feed: true });
  root = urlOf("http");
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  port = httpPort({ endpoint: urlOf("dynamodb"), credentials });
  await append("cart|1", "one", "two", "three");
  await append("cart|2", "four");
  await damageEvent(port, "cart|1", 2);
  await readLive(4);
});
afterAll(async () => {
  await port.close();
  await server.stop();
});

async function read(query = ""): Promise<{ events: Row[]; position: string; more: boolean }> {
  const answer = await fetch(new URL(`/api/v3/journals/journal/feed/events${query}`, root));
  expect(answer.status).toBe(200);
  return (await answer.json()) as { events: Row[]; position: string; more: boolean };
}

/** Reads messages of the live stream until this many events have come. */
async function readLive(count: number, query = ""): Promise<Row[]> {
  const answer = await fetch(new URL(`/api/v3/journals/journal/feed/live${query}`, root));
  const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const messages = () =>
    text
      .split("\n\n")
      .slice(0, -1)
      .filter((each) => each.includes("event: event"));
  while (messages().length < count) text += (await reader.read()).value ?? "";
  await reader.cancel();
  return messages().map((each) => ({
    ...JSON.parse(/^data: (.*)$/m.exec(each)?.[1] ?? ""),
    id: /^id: (.*)$/m.exec(each)?.[1],
  }));
}

const unreadable = {
  persistenceId: "cart|1",
  sequenceNr: 2,
  error: { code: "JOURNAL_ITEM_CORRUPT", message: expect.any(String) },
};
const rows = (text: string): Row[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
const ofCart1 = (events: readonly Row[]) =>
  events
    .filter(({ persistenceId }) => persistenceId === "cart|1")
    .map(({ payload, error }) => payload ?? (error as Row)["code"]);
const inOrder = ["one", "JOURNAL_ITEM_CORRUPT", "three"];

describe("an event that cannot be read", () => {
  test("is in its place over HTTP, and pages continue after it", async () => {
    const { events, more } = await read();
    expect([events.length, more, ofCart1(events)]).toEqual([4, false, inOrder]);
    const found = events.find(({ error }) => error !== undefined);
    expect(found).toMatchObject({ ...unreadable, slice: expect.any(Number), offset: expect.any(Number) });
    expect(found).not.toHaveProperty("payload");
    const seen: Row[] = [];
    for (let page = await read("?limit=1"); ; page = await read(`?limit=1&from=${page.position}`)) {
      seen.push(...page.events);
      if (!page.more) break;
    }
    expect(seen).toEqual(events);
    expect(ofCart1((await read("?tag=a&type=cart")).events)).toEqual(inOrder);
  });

  test("is in its place in the live stream, which continues after it", async () => {
    const events = await readLive(4);
    expect(ofCart1(events)).toEqual(inOrder);
    const found = events.find(({ error }) => error !== undefined);
    expect(found).toMatchObject({ ...unreadable, id: found?.["position"] });
    const { events: after } = await read(`?from=${found?.["position"]}`);
    expect(ofCart1(after)).toEqual(["three"]);
  });

  test("is sent to a live reader before an event follows it", async () => {
    const { position } = await read();
    const journal = await openJournal(port);
    const writer = await journal.recover("cart|3");
    expect(await writer.append([{ payload: "five" }, { payload: "six" }])).toMatchObject({ kind: "ok" });
    const restore = await damageEvent(port, "cart|3", 1);
    const events = await readLive(2, `?from=${position}`);
    expect(events).toMatchObject([
      { sequenceNr: 1, error: {} },
      { sequenceNr: 2, error: {} },
    ]);
    // A page ends between two of them.
    const page = await read(`?from=${position}&limit=1`);
    expect(page).toMatchObject({ events: [{ sequenceNr: 1, error: {} }], more: true });
    expect(await read(`?from=${page.position}&limit=1`)).toMatchObject({
      events: [{ sequenceNr: 2, error: {} }],
    });
    await restore();
    expect(await readLive(2, `?from=${position}`)).toMatchObject([{ payload: "five" }, { payload: "six" }]);
  });

  test("is listed, and the command fails after all events with exit code 9", async () => {
    const { code, stdout, stderr } = await runMain(["feed", "list", ...here, "--json"]);
    expect([code, ofCart1(rows(stdout))]).toEqual([9, inOrder]);
    expect(rows(stdout).find(({ error }) => error !== undefined)).toMatchObject(unreadable);
    expect(rows(stderr)).toMatchObject([{ error: { code: "CLI_EVENTS_UNREADABLE", kind: "corrupt" } }]);
    const text = await runMain(["feed", "list", "--type", "cart", ...here]);
    expect(text.stderr).toMatch(/^error: 1 event could not be read[^\n]*\[CLI_EVENTS_UNREADABLE\]\n$/);
    expect(text.stdout).toMatch(/^cart\|1 2 +unreadable +.*\[JOURNAL_ITEM_CORRUPT\]$/m);
    const others = await runMain(["feed", "list", "--limit", "1", ...here, "--json"]);
    expect([rows(others.stdout).length, others.code]).toEqual([1, expect.any(Number)]);
  });

  test("does not end a watch or a wait", async () => {
    const watching = startMain(["feed", "watch", "--from", "start", ...here, "--json"]);
    await expect.poll(() => ofCart1(rows(watching.stdout()))).toEqual(inOrder);
    watching.interrupt();
    expect(await watching.result).toMatchObject({ code: 0, stderr: "" });
    const first = (await read("?type=cart")).events.find(({ payload }) => payload === "one");
    const from = String(first?.["position"]);
    const range = ["--from", from, "--type", "cart", "--timeout", "600"];
    const waited = await runMain(["feed", "wait", ...range, ...here, "--json"]);
    expect([waited.code, rows(waited.stdout).length]).toEqual([0, 1]);
  });

  test("is reported by a wait that passes it", async () => {
    await append("other|1", "seven", "eight");
    const restore = await damageEvent(port, "other|1", 1);
    await expect.poll(async () => (await read("?type=other")).events.length).toBe(2);
    const waited = await runMain(["feed", "wait", "--type", "other", ...here, "--json"]);
    expect([waited.code, ...rows(waited.stdout)]).toMatchObject([0, { payload: "eight" }]);
    expect(waited.stderr).toMatch(/^other\|1 1 +unreadable +.*\[JOURNAL_ITEM_CORRUPT\]\n$/);
    await restore();
  });
});

import { ensureTable } from "@tablekeep/client";
import { systemClock, wrapPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { journalTableSpec, snapshotTableSpec } from "@tablekeep/journal";
import { mailTableSpec } from "@tablekeep/mail";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { describedOperations, servedOperations } from "../../../../test/served-operations.ts";
import { undecodableMails } from "../../../../test/undecodable-mails.ts";
import { type RunningServer, startServer } from "../../start-server.ts";
import { mailRoutes } from "../mail-part.ts";
import type { ServedMail } from "../served-mail.ts";

let engine: Engine;
let server: RunningServer;
let base: string;
let smtp: URL;

beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  for (const spec of [journalTableSpec(), snapshotTableSpec(), mailTableSpec()])
    await ensureTable(engine, spec);
  server = await startServer({ port: engine, httpPort: 0, smtpPort: 0, shadows: false });
  const urlOf = (name: string) => new URL(server.listeners.find((each) => each.name === name)?.url ?? "");
  base = new URL("/api/v3/mail", urlOf("http")).href;
  smtp = urlOf("smtp");
});
afterAll(async () => {
  await server.stop();
  await engine.close();
});
beforeEach(() => fetch(`${base}/messages?all=true`, { method: "DELETE" }));

async function send(subject: string, more: object = {}): Promise<void> {
  const transport = createTransport({ host: smtp.hostname, port: Number(smtp.port), ignoreTLS: true });
  await transport.sendMail({
    from: "anna@example.com",
    to: "ben@example.com",
    subject,
    text: "hello",
    ...more,
  });
  transport.close();
}

interface Summary {
  readonly id: string;
  readonly subject: string;
}

async function get<Body>(path: string): Promise<Body> {
  const answer = await fetch(`${base}${path}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Body;
}

const list = async (query = "") =>
  (await get<{ messages: Summary[]; next?: string }>(`/messages${query}`)).messages;

test("messages are counted, all and those of a search", async () => {
  for (const subject of ["needle one", "hay", "needle two"]) await send(subject);
  const count = async (query: string) => (await get<{ count: number }>(`/count${query}`)).count;
  expect(await count("")).toBe(3);
  expect(await count("?query=needle")).toBe(2);
  expect(await count("?kind=query&query=subject:needle%20-two")).toBe(1);
  expect(await count("?kind=recipient&query=nobody@example.com")).toBe(0);
  expect((await fetch(`${base}/count?kind=other&query=x`)).status).toBe(400);
});

test("messages are marked, one by one and by a search", async () => {
  await send("one", { headers: { "X-Tags": "shop" } });
  await send("two");
  const [two, one] = await list();
  const put = async (path: string, body: unknown) => {
    const answer = await fetch(`${base}${path}`, { method: "PUT", body: JSON.stringify(body) });
    return [answer.status, await answer.json()];
  };
  const path = `/messages/${one?.id}/marks`;
  expect(await put(path, { read: true, addTags: ["b"] })).toEqual([
    200,
    { id: one?.id, read: true, tags: ["b", "shop"] },
  ]);
  expect(await list("?kind=query&query=is:unread")).toMatchObject([{ id: two?.id, read: false, tags: [] }]);
  expect(await list("?kind=query&query=tag:shop")).toMatchObject([{ id: one?.id, read: true }]);
  expect(await put("/marks?kind=query&query=is:unread", { read: true })).toEqual([200, { marked: 1 }]);
  expect(await put(`/marks?id=${one?.id}&id=${two?.id}`, { tags: ["x"] })).toEqual([200, { marked: 2 }]);
  expect(await list()).toMatchObject([1, 2].map(() => ({ read: true, tags: ["x"] })));
  expect(await put(path, { tags: ["a,b"] })).toMatchObject([400, { code: "MAIL_OPTION_INVALID" }]);
  expect((await put(path, []))[0]).toBe(400);
  expect((await put("/marks", { read: true }))[0]).toBe(400);
  expect((await put("/messages/none/marks", { read: true }))[0]).toBe(404);
});

test("a message is checked", async () => {
  await send("order", { html: '<a href="http://localhost/x">order</a><video></video>' });
  const [message] = await list();
  const rules = async (query = "") => {
    const answer = await fetch(`${base}/messages/${message?.id}/lint${query}`);
    expect(answer.status).toBe(200);
    const { findings } = (await answer.json()) as { findings: { rule: string }[] };
    return findings.map(({ rule }) => rule);
  };
  expect(await rules("?client=gmail")).toEqual(["link-placeholder", "html-feature"]);
  expect(await rules("?client=gmail&allowHost=localhost&ignore=html-feature&bulk=true")).toEqual([
    "list-unsubscribe",
  ]);
  expect((await fetch(`${base}/messages/${message?.id}/lint?client=netscape`)).status).toBe(400);
  expect((await fetch(`${base}/messages/none/lint`)).status).toBe(404);
});

test("the parts of a message are listed without their content", async () => {
  await send("report", { html: "<p>x</p>", attachments: [{ filename: "a.csv", content: "1,2" }] });
  const [message] = await list();
  const answer = await fetch(`${base}/messages/${message?.id}/structure`);
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    {
      type: "multipart/mixed",
      parts: [
        { type: "multipart/alternative", parts: [{ type: "text/plain" }, { type: "text/html" }] },
        { type: "text/csv", disposition: "attachment", filename: "a.csv", parts: [] },
      ],
    },
  ]);
  expect((await fetch(`${base}/messages/none/structure`)).status).toBe(404);
});

test("a query in Mailpit's grammar finds, waits for and deletes messages; an invalid one is reported", async () => {
  await send("invoice 1", { attachments: [{ filename: "a.txt", content: "x" }] });
  await send("invoice 2", { from: "shop@example.com" });
  const subjects = async (query: string) =>
    (await list(`?kind=query&query=${encodeURIComponent(query)}`)).map(({ subject }) => subject);
  expect(await subjects("invoice")).toEqual(["invoice 2", "invoice 1"]);
  expect(await subjects("from:shop subject:invoice -has:attachment")).toEqual(["invoice 2"]);
  expect(await subjects("has:attachment")).toEqual(["invoice 1"]);
  const waited = await get("/wait?kind=query&query=from:anna&timeoutMs=60");
  expect(waited).toMatchObject({ message: { subject: "invoice 1" } });
  const invalid = await fetch(`${base}/messages?kind=query&query=is:red`);
  expect([invalid.status, await invalid.json()]).toMatchObject([400, { code: "MAIL_QUERY_INVALID" }]);
  const deleted = await fetch(`${base}/messages?kind=query&query=-from:shop`, { method: "DELETE" });
  expect(await deleted.json()).toEqual({ deleted: 1 });
});

describe("messages", () => {
  test("are listed newest first, page by page, searched, counted and deleted", async () => {
    for (const subject of ["one", "two", "three"]) await send(subject);
    const first = await get<{ messages: Summary[]; next: string }>("/messages?limit=2");
    expect(first.messages.map(({ subject }) => subject)).toEqual(["three", "two"]);
    expect((await list(`?limit=2&cursor=${first.next}`)).map(({ subject }) => subject)).toEqual(["one"]);
    expect((await list("?limit=1&start=1")).map(({ subject }) => subject)).toEqual(["two"]);
    expect((await fetch(`${base}/messages?start=1&cursor=${first.next}`)).status).toBe(400);
    expect((await list("?query=TWO")).map(({ subject }) => subject)).toEqual(["two"]);
    expect(await list("?kind=recipient&query=ben@example.com")).toHaveLength(3);
    expect(await get("/count")).toEqual({ count: 3 });
    const remove = async (path: string) => (await fetch(base + path, { method: "DELETE" })).status;
    expect(await remove("/messages")).toBe(400);
    expect(await remove("/messages?kind=text&query=two")).toBe(200);
    const [newest] = await list();
    expect(await remove(`/messages/${newest?.id}`)).toBe(200);
    expect(await remove(`/messages/${newest?.id}`)).toBe(404);
    expect(await get("/count")).toEqual({ count: 1 });
    for (const subject of ["four", "five"]) await send(subject);
    const [five, four] = await list();
    expect(await remove(`/messages?id=${five?.id}&id=${four?.id}&id=none`)).toBe(200);
    expect((await list()).map(({ subject }) => subject)).toEqual(["one"]);
  });

  test("a delete of everything continues when its client disconnects", async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    let isDeleting = false;
    const client = new AbortController();
    const port = wrapPort(engine, async (operation, input, options, next) => {
      // The client disconnects before the write that deletes everything.
      if (operation === "UpdateItem" && isDeleting && !client.signal.aborted) {
        client.abort();
        await opened;
      }
      return next(operation, input, options);
    });
    await using other = await startServer({ port, httpPort: 0, smtp: false, shadows: false });
    const api = new URL("/api/v3/mail/", other.listeners[0]?.url);
    const body = "subject: x\r\n\r\nx";
    const put = () => fetch(new URL("messages?to=a@example.com", api), { method: "POST", body });
    for (let n = 0; n < 5; n++) await Promise.all(Array.from({ length: 60 }, put));
    isDeleting = true;
    const { signal } = client;
    await expect(fetch(new URL("messages?all=true", api), { method: "DELETE", signal })).rejects.toThrow();
    open();
    await expect.poll(() => get("/count")).toEqual({ count: 0 });
  });

  test("are decoded, with their attachments", async () => {
    await send("Grüße", {
      html: '<p onclick="alert(1)">Grüße <img src="cid:pic"> <img src="https://evil.example/x.png"></p>',
      attachments: [
        { filename: "p.png", content: Buffer.from([1, 2, 3]), cid: "pic" },
        { filename: "../../evil.html", content: "<script>alert(1)</script>", contentType: "text/html" },
      ],
    });
    const [summary] = await list();
    expect(summary).toMatchObject({
      subject: "Grüße",
      attachments: 2,
      envelope: { to: ["ben@example.com"] },
    });
    const path = `/messages/${summary?.id}`;
    expect(await get(path)).toMatchObject({
      text: "hello\n",
      addresses: { from: [{ address: "anna@example.com" }] },
      attachments: expect.arrayContaining([
        expect.objectContaining({ filename: "p.png", type: "image/png", size: 3 }),
      ]),
    });
    const page = await fetch(`${base}${path}/html`);
    expect(page.headers.get("content-security-policy")).toMatch(
      /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src data:;/,
    );
    expect(page.headers.get("x-dns-prefetch-control")).toBe("off");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    const image = '<img src="data:image/png;base64,AQID">';
    expect((await page.text()).trim()).toBe(`<p>Grüße ${image} <img></p>`);
    const remote = await fetch(`${base}${path}/html?remote=true`);
    expect(remote.headers.get("content-security-policy")).toContain("img-src data: https: http:;");
    expect(await remote.text()).toContain(`${image} <img src="https://evil.example/x.png">`);
    const files = await Promise.all([0, 1].map((index) => fetch(`${base}${path}/attachments/${index}`)));
    const html = files.find((file) => file.headers.get("content-type") === "text/html");
    expect(html?.headers.get("content-disposition")).toBe('attachment; filename="evil.html"');
    expect(html?.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
    expect((await fetch(`${base}${path}/attachments/9`)).status).toBe(404);
  });

  test.each(Object.entries(undecodableMails))(
    "that cannot be decoded (%s) have their summary and headers, and can be read and deleted",
    async (subject, raw) => {
      const sent = await fetch(`${base}/messages?to=ben@example.com`, { method: "POST", body: raw });
      const { id } = (await sent.json()) as Summary;
      expect(await get(`/messages/${id}`)).toMatchObject({
        id,
        subject,
        headers: expect.arrayContaining([{ name: "subject", value: subject }]),
        text: "",
        html: "",
        attachments: [],
        decodeError: { code: "MAIL_DECODE_REFUSED", error: expect.any(String) },
      });
      expect(await (await fetch(`${base}/messages/${id}/raw`)).text()).toBe(raw);
      expect((await fetch(`${base}/messages/${id}`, { method: "DELETE" })).status).toBe(200);
    },
  );

  test("are stored over HTTP byte for byte", async () => {
    const raw = Buffer.from("Subject: bytes\r\n\r\n\xff\xfe\r\n", "latin1");
    const inject = (query: string) => fetch(`${base}/messages?${query}`, { method: "POST", body: raw });
    const stored = await inject("from=a@example.com&to=b@example.com&to=c@example.com");
    expect(stored.status).toBe(201);
    const { id } = (await stored.json()) as Summary;
    const back = await fetch(`${base}/messages/${id}/raw`);
    expect(Buffer.from(await back.arrayBuffer())).toEqual(raw);
    expect((await inject("from=a@example.com")).status).toBe(400);
    expect((await inject("from=a@example.com&to=b%0d%0aRCPT")).status).toBe(400);
  });

  test("are waited for", async () => {
    const waiting = get<{ message: Summary }>("/wait?kind=recipient&query=ben@example.com");
    await send("awaited");
    expect((await waiting).message.subject).toBe("awaited");
    expect(await get("/wait?query=never&timeoutMs=10")).toEqual({ message: null });
  });

  test("are followed if they match a query", async () => {
    await send("begin");
    const headers = { "last-event-id": (await list())[0]?.id ?? "" };
    const query = encodeURIComponent('subject:"wanted one"');
    const live = await fetch(`${base}/events?kind=query&query=${query}`, { headers });
    const reader = (live.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (const subject of ["unheard", "a wanted one", "the last wanted one"]) await send(subject);
    while (!text.includes("the last")) text += (await reader.read()).value ?? "";
    expect(text).toContain('"a wanted one"');
    expect(text).not.toContain("unheard");
    await reader.cancel();
    const invalid = await fetch(`${base}/events?kind=query&query=before:yesterday`);
    expect([invalid.status, await invalid.json()]).toMatchObject([400, { code: "MAIL_QUERY_INVALID" }]);
  });

  test("are followed, also from the last id of a client", async () => {
    await send("before");
    const [before] = await list();
    await send("between");
    const headers = { "last-event-id": before?.id ?? "" };
    const live = await fetch(`${base}/events`, { headers });
    const reader = (live.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("between")) text += (await reader.read()).value ?? "";
    await send("after");
    while (!text.includes("after")) text += (await reader.read()).value ?? "";
    expect(text).not.toContain('"before"');
    await fetch(`${base}/messages/${before?.id}`, { method: "DELETE" });
    while (!/event: deleted\nid: \S+\ndata: .*\n\n/.test(text)) text += (await reader.read()).value ?? "";
    await fetch(new URL(`/api/v1/messages`, base), { method: "DELETE" });
    while (!/event: cleared\nid: \S+\ndata: {}\n\n/.test(text)) text += (await reader.read()).value ?? "";
    await reader.cancel();
  });
});

test("a session without a stored message shows the reason", async () => {
  await expect(
    send("refused", { to: "a\u0001b@example.com", envelope: { from: "x", to: [] } }),
  ).rejects.toThrow();
  const { sessions } = await get<{ sessions: { id: string; stored: string[] }[] }>("/sessions");
  const silent = sessions.find(({ stored }) => stored.length === 0);
  expect(silent).toBeDefined();
  expect(await get(`/sessions/${silent?.id}`)).toMatchObject({ lines: expect.any(Array) });
  expect((await fetch(`${base}/sessions/none`)).status).toBe(404);
});

test("chaos is started, shown and stopped", async () => {
  const put = (body: string) => fetch(`${base}/chaos`, { method: "PUT", body });
  expect(await (await put('{"acceptChance":0,"seed":"1"}')).json()).toMatchObject({
    settings: { acceptChance: 0 },
  });
  await expect(send("lost")).rejects.toThrow();
  expect((await put('{"acceptChance":7}')).status).toBe(400);
  expect((await put('{"other":1}')).status).toBe(400);
  expect((await fetch(`${base}/chaos`, { method: "DELETE" })).status).toBe(200);
  expect(await get("/chaos")).toMatchObject({ settings: null, defaults: { acceptChance: 0.99 } });
});

test("the OpenAPI document has every operation and no other", () => {
  const routes = mailRoutes({} as ServedMail, systemClock);
  expect(describedOperations(routes)).toEqual(servedOperations(routes));
});

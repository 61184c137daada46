import { once } from "node:events";
import { ensureTable } from "@tablekeep/client";
import { wrapPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { type Mail, mailTableSpec, openMail } from "@tablekeep/mail";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type RunningServer, startServer } from "../src/server/start-server.ts";

let engine: Engine;
let server: RunningServer;
let mail: Mail;
let url: string;
let logged: string[];
/** How often the bytes of messages are read. */
let bodyReads: number;
const note = (message: string) => void logged.push(message);

beforeEach(async () => {
  logged = [];
  bodyReads = 0;
  engine = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(engine, mailTableSpec());
  const port = wrapPort(engine, (operation, input, options, next) => {
    if (operation === "BatchGetItem" && JSON.stringify(input).includes('"b#')) bodyReads++;
    return next(operation, input, options);
  });
  server = await startServer({
    port,
    httpPort: 0,
    smtp: false,
    mqtt: false,
    journals: [],
    shadows: false,
    mail: { store: { pollMs: 50 } },
    logger: { debug: note, info: note, warn: note, error: note },
  });
  url = (server.listeners.find(({ name }) => name === "http")?.url ?? "").slice(0, -1);
  mail = await openMail(engine);
});
afterEach(async () => {
  await mail.close();
  await server.stop();
  await engine.close();
});

const envelope = { from: "a@b.example", to: ["c@d.example"], helo: "h" };
const store = (raw: string) => mail.store(envelope, Buffer.from(raw, "latin1"));
const usual = (subject: string) => `Subject: ${subject}\r\n\r\nbody of ${subject}\r\n`;

/** Messages that are built to be large, deep or slow in MailHog's shape. */
const hostile = (bytes: number): Readonly<Record<string, string>> => {
  let nested = "x".repeat(bytes / 20);
  for (let level = 0; level < 100; level++)
    nested = `Content-Type: multipart/mixed; boundary=b${level}x\r\n\r\n--b${level}x\r\n${nested}\r\n--b${level}x--`;
  const multipart = "Content-Type: multipart/mixed; boundary=b\r\n\r\n";
  return {
    "nested multiparts": nested,
    "lines that begin with the boundary": multipart + "--bx\r\n".repeat(bytes / 6),
    "nothing but the boundary": multipart + "--b".repeat(bytes / 3),
    "header lines": `${"a: b\r\n".repeat(bytes / 6)}\r\nx`,
    "not UTF-8": `${multipart}--b\r\n\r\n${"\xff\xc3".repeat(bytes / 2)}`,
  };
};

describe("MailHog's API", () => {
  test("lists, finds and pushes hostile messages like all others", async () => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v2/websocket`);
    const pushed: string[] = [];
    socket.on("message", (frame) => pushed.push((JSON.parse(String(frame)) as { ID: string }).ID));
    await once(socket, "open");
    const events = await fetch(`${url}/api/v1/events`);
    const reader = (events.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    const ids: string[] = [];
    for (const raw of Object.values(hostile(300_000))) ids.push((await store(raw)).id);
    ids.push((await store(usual("usual"))).id);
    const idsAt = async (path: string) => {
      const answer = await fetch(url + path);
      expect(answer.status).toBe(200);
      const body = (await answer.json()) as { ID: string }[] | { items: { ID: string }[] };
      return (Array.isArray(body) ? body : body.items).map(({ ID }) => ID).reverse();
    };
    expect(await idsAt("/api/v1/messages")).toEqual(ids);
    expect(await idsAt("/api/v2/messages")).toEqual(ids);
    expect(await idsAt("/api/v2/search?kind=containing&query=by%20mailhog.example")).toEqual(ids);
    expect(await idsAt("/api/v2/search?kind=from&query=a@b")).toEqual(ids);
    for (const id of ids)
      expect(await (await fetch(`${url}/api/v1/messages/${id}`)).json()).toMatchObject({ ID: id });
    await expect.poll(() => pushed.toSorted()).toEqual(ids);
    const sent: string[] = [];
    for (let rest = ""; sent.length < ids.length; ) {
      const [first = "", ...more] = `${rest}${(await reader.read()).value ?? ""}`.split("\n\n");
      rest = more.pop() ?? first;
      if (rest !== first) sent.push(...[first, ...more].filter((event) => event.startsWith("data:")));
    }
    const told = sent.map((event) => (JSON.parse(event.replace(/^data: /gm, "")) as { ID: string }).ID);
    expect(told.toSorted()).toEqual(ids);
    await reader.cancel();
    socket.terminate();
  });

  test.each(Object.keys(hostile(0)))("answers other clients while it sends a message of %s", async (name) => {
    const { id } = await store(hostile(8_000_000)[name] ?? "");
    let sent = false;
    const sending = fetch(`${url}/api/v1/messages/${id}`).then(async (answer) => {
      expect(answer.status).toBe(200);
      for await (const _piece of answer.body as unknown as AsyncIterable<Uint8Array>);
      sent = true;
    });
    let answered = 0;
    while (!sent && answered < 5) {
      await fetch(`${url}/api/v2/outgoing-smtp`);
      if (!sent) answered++;
    }
    expect(answered).toBe(5);
    await sending;
  });

  test("leaves a corrupt message out of lists and searches, and logs it", async () => {
    const broken = await store(usual("broken"));
    const whole = await store(usual("whole"));
    const { Items = [] } = await engine.scan({ TableName: "mail" });
    const summary = Items.find((item) => item["sk"]?.S === broken.id && item["body"] !== undefined);
    const [partition, number] = (summary?.["body"]?.S ?? "").split("/");
    const chunk = { pk: { S: `b#${partition}` }, sk: { S: `${number}#000000` } };
    await engine.deleteItem({ TableName: "mail", Key: chunk });
    const get = async (path: string) => (await fetch(url + path)).json();
    expect(await get("/api/v1/messages")).toMatchObject([{ ID: whole.id }]);
    expect(await get("/api/v2/messages")).toMatchObject({ items: [{ ID: whole.id }] });
    const found = await get("/api/v2/search?kind=containing&query=body%20of");
    expect(found).toMatchObject({ total: 1, items: [{ ID: whole.id }] });
    expect(logged.filter((message) => message === "skipped a corrupt message")).toHaveLength(3);
    const answer = await fetch(`${url}/api/v1/messages/${broken.id}`);
    expect([answer.status, await answer.text()]).toEqual([500, ""]);
    expect(answer.headers.get("x-error")).toContain(broken.id);
    expect(logged).toContain("a request failed");
  });
});

describe("the mail API", () => {
  test("loads and decodes a message with 20 images once", async () => {
    const image = (n: number) =>
      `--b\r\nContent-Type: image/png\r\nContent-ID: <i${n}>\r\nContent-Transfer-Encoding: base64\r\n\r\niVBO\r\n`;
    const images = Array.from({ length: 20 }, (_, n) => n);
    const html = images.map((n) => `<img src="cid:i${n}">`).join("");
    const { id } = await store(
      `Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n${html}\r\n${images.map(image).join("")}--b--\r\n`,
    );
    const base = `${url}/api/v3/mail/messages/${id}`;
    const statuses = async (paths: readonly string[]) =>
      Promise.all(paths.map(async (path) => (await fetch(base + path)).status));
    expect(new Set(await statuses(["", "/html", ...images.map((n) => `/attachments/${n}`)]))).toEqual(
      new Set([200]),
    );
    expect(bodyReads).toBe(1);
    await mail.deleteOne(id);
    expect(await statuses(["", "/html", "/attachments/0"])).toEqual([404, 404, 404]);
  });

  test.each(Object.keys(hostile(0)))("answers for a message of %s, decoded or rejected", async (name) => {
    const { id } = await store(hostile(2_000_000)[name] ?? "");
    const answer = await fetch(`${url}/api/v3/mail/messages/${id}`);
    if (answer.status !== 200) expect(await answer.json()).toMatchObject({ code: "MAIL_DECODE_REFUSED" });
    expect((await fetch(`${url}/api/v3/mail/messages/${id}/raw`)).status).toBe(200);
  });
});

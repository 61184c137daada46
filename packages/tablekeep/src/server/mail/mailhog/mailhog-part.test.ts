import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { ensureTable } from "@tablekeep/client";
import { silentLogger, systemClock } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { mailTableSpec } from "@tablekeep/mail";
import { fakeClock } from "@tablekeep/testkit";
import mailhogClient from "mailhog";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import type { HttpAccess } from "../../http/http-access.ts";
import { httpListener } from "../../http/http-listener.ts";
import { HttpError } from "../../http/http-route.ts";
import { routeRequests } from "../../http/route-requests.ts";
import type { Listener } from "../../listening/listener.ts";
import { parseRelays } from "../../release/relays.ts";
import { openServedMail, type ServedMail } from "../served-mail.ts";
import { type MailhogOptions, mailhogPart } from "./mailhog-part.ts";

let engine: Engine;
let served: ServedMail;
let listener: Listener;
let url: string;
let clock = systemClock;

async function start(options: Partial<MailhogOptions> = {}, signIn?: HttpAccess["signIn"]): Promise<void> {
  const common = { clock, logger: silentLogger };
  const access = { signIn };
  const part = mailhogPart(served, { ...common, ...options });
  listener = httpListener({
    ...common,
    target: { listener: "http", host: "127.0.0.1", port: 0, portFlag: "--http-port" },
    purpose: "a test",
    handle: routeRequests(part.groups ?? [], silentLogger, access),
    access,
    upgrades: part.upgrades ?? [],
  });
  url = (await listener.start()).slice(0, -1);
}

beforeEach(async () => {
  clock = systemClock;
  engine = await openEngine({ storage: { kind: "memory" } });
  const relay = { Host: "127.0.0.1", Port: "1", Username: "u", Password: "secret", Mechanism: "CRAMMD5" };
  await ensureTable(engine, mailTableSpec());
  const backend = {
    port: engine,
    tables: [],
    addTable: async () => {},
    use: () => ({}),
    close: async () => {},
  };
  served = await openServedMail(
    backend,
    { relays: parseRelays({ own: relay }, "a test") },
    {
      clock,
      logger: silentLogger,
    },
  );
});
afterEach(async () => {
  await listener.stop(0);
  await served.mail.close();
  await engine.close();
});

const multipart = [
  "From: Anna <anna@example.com>",
  "To: Ben <ben@example.com>",
  "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= & <more>",
  'Content-Type: multipart/mixed; boundary="b"',
  "",
  "--b",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "Gr=C3=BC=C3=9Fe",
  "--b",
  "Content-Type: text/html",
  'Content-Disposition: inline; filename="../../evil.html"',
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("<script>alert(1)</script>").toString("base64"),
  "--b--",
  "",
].join("\r\n");

function store(raw: string, to = "ben@example.com") {
  const envelope = { from: "anna@example.com", to: [to], helo: "client.example" };
  return served.mail.store(envelope, Buffer.from(raw));
}

const plain = (subject: string) => `Subject: ${subject}\r\nFrom: x@example.com\r\n\r\nbody of ${subject}\r\n`;

describe("version 1", () => {
  test("lists, loads, downloads and deletes", async () => {
    await start();
    const { id } = await store(multipart);
    await store(plain("second"));
    const list = await fetch(`${url}/api/v1/messages`);
    expect(list.headers.get("content-type")).toBe("text/json");
    const [newest, oldest] = (await list.json()) as { ID: string; Content: { Headers: object } }[];
    expect(newest?.Content.Headers).toMatchObject({ Subject: ["second"] });
    expect(oldest?.ID).toBe(id);
    const path = `${url}/api/v1/messages/${encodeURIComponent(id)}`;
    const one = await fetch(path);
    const text = await one.text();
    expect(text).toContain("\\u0026 \\u003cmore\\u003e");
    expect(JSON.parse(text)).toEqual(oldest);
    const file = await fetch(`${path}/download`);
    expect(file.headers.get("content-disposition")).toBe(`attachment; filename="${id}.eml"`);
    expect(await file.text()).toBe(multipart);
    expect((await fetch(path, { method: "DELETE" })).status).toBe(200);
    expect((await fetch(path, { method: "DELETE" })).status).toBe(404);
    const gone = await fetch(path);
    expect([gone.status, await gone.text()]).toEqual([404, "null"]);
    expect((await fetch(`${url}/api/v1/messages`, { method: "DELETE" })).status).toBe(200);
    expect(await (await fetch(`${url}/api/v1/messages`)).text()).toBe("[]");
  });

  test("a part is downloaded as a decoded file, and never shown by a browser", async () => {
    await start();
    const { id } = await store(multipart);
    const part = (number: string) => fetch(`${url}/api/v1/messages/${id}/mime/part/${number}/download`);
    expect(await (await part("0")).text()).toBe("Grüße");
    const html = await part("1");
    expect(await html.text()).toBe("<script>alert(1)</script>");
    expect(html.headers.get("content-disposition")).toBe('attachment; filename="evil.html"');
    expect(html.headers.get("content-security-policy")).toContain("sandbox");
    expect(html.headers.get("x-content-type-options")).toBe("nosniff");
    // As Go's Atoi reads it: 0 for what is not a number.
    for (const same of ["x", "+0", "-0", "00"]) expect(await (await part(same)).text()).toBe("Grüße");
    expect((await part("x")).headers.get("content-disposition")).toContain(`${id}-part-x`);
    for (const missing of ["99", "-1", "99999999999999999999"]) {
      const answer = await part(missing);
      expect([answer.status, await answer.text()]).toEqual([404, ""]);
    }
  });

  test("releases to configured relays only", async () => {
    await start();
    const { id } = await store(multipart);
    const release = async (body: string) =>
      (await fetch(`${url}/api/v1/messages/${id}/release`, { method: "POST", body })).status;
    expect(await release("{")).toBe(500);
    expect(await release('{"Port":1,"Save":1,"Name":2}')).toBe(500);
    expect(await release('{"Name":"other","Email":"a@example.com"}')).toBe(403);
    expect(await release('{"Host":"evil.example","Port":"25","Email":"a@example.com"}')).toBe(403);
    expect(await release('{"Name":"own","Save":true}')).toBe(400);
    // Nothing listens there.
    expect(await release('{"name":"own","email":"a@example.com"}')).toBe(503);
  });

  test("events carry whole messages as they arrive", async () => {
    await start();
    const events = await fetch(`${url}/api/v1/events`);
    expect(events.headers.get("content-type")).toContain("text/event-stream");
    const reader = (events.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader();
    expect((await reader.read()).value).toBe(":\n\n");
    const { id } = await store(plain("live"));
    let text = "";
    while (!/\n\n$/.test(text) || !text.includes("data:")) text += (await reader.read()).value ?? "";
    const document = text.replace(/^data: /gm, "").replace(/^:$/gm, "");
    expect(JSON.parse(document)).toMatchObject({ ID: id, Raw: { Data: plain("live").slice(0, -2) } });
    await reader.cancel();
  });
});

describe("version 2", () => {
  test("pages with a total, and ignores invalid numbers", async () => {
    await start();
    for (let n = 0; n < 5; n++) await store(plain(`no ${n}`));
    const page = async (query: string) => (await fetch(`${url}/api/v2/messages${query}`)).json();
    expect(await page("?start=1&limit=2")).toMatchObject({ total: 5, count: 2, start: 1, items: [{}, {}] });
    expect(await page("?start=x&limit=-1")).toMatchObject({ total: 5, count: 5, start: 0 });
    expect(await page("?start=5")).toEqual({ total: 5, count: 0, start: 5, items: [] });
  });

  test("searches by kind, and requires kind and query", async () => {
    await start();
    await store(plain("needle"), "carl@example.com");
    await store(plain("hay"));
    const search = async (query: string) => {
      const answer = await fetch(`${url}/api/v2/search?${query}`);
      return answer.status === 200 ? ((await answer.json()) as { total: number }).total : answer.status;
    };
    expect(await search("kind=containing&query=NEEDLE")).toBe(1);
    expect(await search("kind=to&query=carl")).toBe(1);
    expect(await search("kind=from&query=x@example")).toBe(2);
    expect(await search("kind=other&query=x")).toBe(400);
    expect(await search("kind=to")).toBe(400);
  });

  test("enables and disables Jim", async () => {
    await start();
    const jim = async (method: string, body?: string) => {
      const answer = await fetch(`${url}/api/v2/jim`, { method, ...(body !== undefined && { body }) });
      return [answer.status, await answer.text()];
    };
    expect((await jim("GET"))[0]).toBe(404);
    expect(await jim("POST")).toEqual([201, ""]);
    expect((await jim("POST"))[0]).toBe(400);
    expect(await jim("GET")).toEqual([
      200,
      '{"DisconnectChance":0.005,"AcceptChance":0.99,"LinkSpeedAffect":0.1,"LinkSpeedMin":1024,"LinkSpeedMax":10240,"RejectSenderChance":0.05,"RejectRecipientChance":0.05,"RejectAuthChance":0.05}',
    ]);
    expect(await jim("PUT", '{"AcceptChance":1,"Seed":"7"}')).toEqual([200, ""]);
    expect(served.chaos.settings).toMatchObject({ acceptChance: 1, disconnectChance: 0, seed: "7" });
    expect((await jim("PUT", '{"AcceptChance":2}'))[0]).toBe(400);
    expect((await jim("PUT", "{"))[0]).toBe(400);
    expect(await jim("DELETE")).toEqual([200, ""]);
    expect((await jim("DELETE"))[0]).toBe(404);
  });

  test("relays are shown without their passwords", async () => {
    await start();
    const text = await (await fetch(`${url}/api/v2/outgoing-smtp`)).text();
    expect(text).not.toContain("secret");
    expect(JSON.parse(text)).toMatchObject({ own: { Host: "127.0.0.1", Port: "1", Mechanism: "CRAMMD5" } });
  });

  test("a web socket gets a frame for each message", async () => {
    await start();
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v2/websocket`);
    await once(socket, "open");
    const { id } = await store(plain("pushed"));
    const [frame] = await once(socket, "message");
    expect(String(frame)).toMatch(/\n$/);
    expect(JSON.parse(String(frame))).toMatchObject({ ID: id });
    const closed = once(socket, "close");
    await listener.stop(15_000);
    expect((await closed)[0]).toBe(1001);
  });
});

describe("errors", () => {
  test("have MailHog's bodies, which are empty, and the reason in a header", async () => {
    await start();
    const answerOf = async (path: string, method = "GET", body?: string) => {
      const answer = await fetch(url + path, { method, ...(body !== undefined && { body }) });
      return [answer.status, await answer.text(), (answer.headers.get("x-error") ?? "") !== ""];
    };
    const { id } = await store(multipart);
    expect(await answerOf("/api/v2/search?kind=x&query=y")).toEqual([400, "", true]);
    expect(await answerOf("/api/v2/jim")).toEqual([404, "", true]);
    expect(await answerOf("/api/v2/jim", "PUT", "{}")).toEqual([404, "", true]);
    expect(await answerOf("/api/v1/messages/none/download")).toEqual([404, "", true]);
    expect(await answerOf("/api/v1/messages/none/mime/part/0/download")).toEqual([404, "", true]);
    expect(await answerOf("/api/v1/messages/none", "DELETE")).toEqual([404, "", false]);
    expect(await answerOf(`/api/v1/messages/${id}/release`, "POST", '{"Name":"other"}')).toEqual([
      403,
      "",
      true,
    ]);
    expect(await answerOf(`/api/v1/messages/${id}/release`, "POST", "{")).toEqual([
      500,
      "Error decoding request body",
      false,
    ]);
    expect(await answerOf("/api/v2/none")).toEqual([404, "404 page not found\n", false]);
  });

  test("of the npm client mailhog are answers, not exceptions", async () => {
    await start();
    const client = mailhogClient({ host: "127.0.0.1", port: Number(new URL(url).port) });
    expect(await client.search("", "to")).toMatchObject({ statusCode: 400 });
    expect(await client.deleteMessage("none")).toMatchObject({ statusCode: 404 });
    const release = client.releaseMessage("none", { host: "a", port: "1", email: "a@b" } as never);
    expect(await release).toMatchObject({ statusCode: 404 });
  });
});

test("a delete of everything continues when its client disconnects", async () => {
  await start();
  for (let n = 0; n < 5; n++) await Promise.all(Array.from({ length: 60 }, () => store(plain("old"))));
  const hangUp = new AbortController();
  const request = fetch(`${url}/api/v1/messages`, { method: "DELETE", signal: hangUp.signal }).catch(
    () => "gone",
  );
  await expect.poll(() => served.mail.count(), { interval: 1 }).toBeLessThan(300);
  hangUp.abort();
  expect(await request).toBe("gone");
  await expect.poll(() => served.mail.count()).toBe(0);
});

test("a client that stops reading a list is disconnected after a while", async () => {
  const time = fakeClock();
  clock = time;
  await start();
  // More than the buffers of the system hold.
  const raw = Buffer.concat([Buffer.from("Subject: long\r\n\r\n"), Buffer.alloc(12_000_000, "x")]);
  await served.mail.store({ from: "a@example.com", to: ["b@example.com"], helo: "test" }, raw);
  let isClosed = false;
  listener.server.on("request", (_request: unknown, response: ServerResponse) => {
    response.once("close", () => {
      isClosed = true;
    });
  });
  const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
  socket.write("GET /api/v1/messages HTTP/1.1\r\nhost: localhost\r\n\r\n");
  await once(socket, "data");
  socket.pause();
  // The message is loaded: only the unread response still has a deadline.
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  while (!isClosed && !isOver) {
    await time.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.destroy();
});

describe("HTTP behavior", () => {
  test("never answers 405, redirects extra slashes, and answers OPTIONS", async () => {
    await start();
    const missing = await fetch(`${url}/api/v2/messages`, { method: "DELETE" });
    expect([missing.status, await missing.text()]).toEqual([404, "404 page not found\n"]);
    const slash = await fetch(`${url}/api/v1/messages/`, { redirect: "manual" });
    expect([slash.status, slash.headers.get("location")]).toEqual([301, "/api/v1/messages"]);
    const away = await fetch(`${url}/api/v1//evil.example/`, { redirect: "manual" });
    expect(away.headers.get("location")).toBe("/api/v1/evil.example");
    const options = await fetch(`${url}/api/v1/messages`, { method: "OPTIONS" });
    expect([options.status, options.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });

  test("one configured origin is allowed, any other may not change anything", async () => {
    await start({ corsOrigin: "https://app.example" });
    const remove = (origin: string) =>
      fetch(`${url}/api/v1/messages`, { method: "DELETE", headers: { origin } });
    const allowed = await remove("https://app.example");
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([
      200,
      "https://app.example",
    ]);
    expect((await remove("https://evil.example")).status).toBe(403);
  });

  test("requires authentication everywhere, except for preflight requests", async () => {
    await start({}, () => {
      throw new HttpError(401, "sign in", { "www-authenticate": "Basic" });
    });
    for (const path of ["/api/v1/messages", "/api/v2/jim", "/api/v1/events"]) {
      const answer = await fetch(url + path);
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Basic"]);
    }
    expect((await fetch(`${url}/api/v1/messages`, { method: "OPTIONS" })).status).toBe(200);
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/v2/websocket`).on("error", () => {});
    const [, response] = await once(socket, "unexpected-response");
    expect(response.statusCode).toBe(401);
  });

  test("the npm client mailhog works, under a web path too", async () => {
    await start({ webPath: "/inbox" });
    await store(multipart);
    const client = mailhogClient({
      basePath: "/inbox/api",
      host: "127.0.0.1",
      port: Number(new URL(url).port),
    });
    const all = await client.messages();
    expect(all).toMatchObject({ total: 1, count: 1 });
    const found = await client.latestTo("ben@example.com");
    expect(found).toMatchObject({
      subject: "Grüße & <more>",
      text: "Grüße",
      from: "Anna <anna@example.com>",
    });
    expect(found?.html).toBe("<script>alert(1)</script>");
  });
});

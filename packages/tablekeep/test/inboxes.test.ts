import { GetAccountCommand, SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { hashSync } from "bcryptjs";
import { createTransport } from "nodemailer";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { parseUsers } from "../src/server/auth/secret-files.ts";
import type { ServerOptions } from "../src/server/options/server-options.ts";
import { startServer } from "../src/server/start-server.ts";

const quiet = {
  memory: true,
  httpPort: 0,
  smtpPort: 0,
  dynamodb: false,
  mqtt: false,
  shadows: false,
} as const;

async function start(options: ServerOptions = {}) {
  const server = await startServer({ ...quiet, journals: [], ...options });
  onTestFinished(() => server.stop());
  const urlOf = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(new URL(path, urlOf("http")), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  const { hostname, port } = new URL(urlOf("smtp") || "smtp://localhost:1");
  const send = async (
    subject: string,
    mail: { user?: string; pass?: string; to?: string; headers?: object; listener?: string } = {},
  ) => {
    const { user, pass = "x", to = "b@example.com", headers, listener } = mail;
    const transport = createTransport({
      host: hostname,
      port: listener === undefined ? Number(port) : Number(new URL(urlOf(listener)).port),
      ignoreTLS: true,
      ...(user !== undefined && { auth: { user, pass } }),
    });
    await transport.sendMail({
      from: "a@example.com",
      to,
      subject,
      text: subject,
      headers: headers as never,
    });
    transport.close();
  };
  /** The subjects in an inbox, by MailHog's API and by our own. */
  const subjects = async (inbox?: string) => {
    const base = inbox === undefined ? "" : `/inbox/${inbox}`;
    const mailhog = await call("GET", `${base}/api/v2/messages`);
    const own = await call("GET", `${base}/api/v3/mail/messages`);
    const found = own.body.messages.map(({ subject }: { subject: string }) => subject);
    expect(mailhog.body.items.map(({ Content }: never) => Content["Headers"]["Subject"][0])).toEqual(found);
    return found as string[];
  };
  return { server, urlOf, call, send, subjects };
}

describe("a message", () => {
  test("goes to the inbox that its user names, and to the default inbox otherwise", async () => {
    const { call, send, subjects } = await start();
    await send("one", { user: "ci+Feature/1" });
    await send("two", { user: "ci+feature-2" });
    await send("three", { user: "ci" });
    await send("four");
    expect(await subjects("feature-1")).toEqual(["one"]);
    expect(await subjects("feature-2")).toEqual(["two"]);
    expect(await subjects()).toEqual(["four", "three"]);
    expect(await subjects("unheard-of")).toEqual([]);
    const { body } = await call("GET", "/api/v3/inboxes");
    expect(body.inboxes.map(({ name }: { name: string }) => name)).toEqual(["feature-1", "feature-2"]);
  });

  test("goes to the inbox with a rule that fits its recipient or its header", async () => {
    const { call, send, subjects } = await start();
    await call("PUT", "/api/v3/inboxes/shop", { rules: [{ to: "*@shop.example" }] });
    await send("by recipient", { to: "x@shop.example" });
    await call("PUT", "/api/v3/inboxes/tagged", { rules: [{ header: "X-Inbox: t*" }] });
    await send("by header", { headers: { "X-Inbox": "Tagged" } });
    await send("neither");
    expect(await subjects("shop")).toEqual(["by recipient"]);
    expect(await subjects("tagged")).toEqual(["by header"]);
    expect(await subjects()).toEqual(["neither"]);
    const message = { from: "a@b.example", to: "y@shop.example", subject: "by JSON", text: "x" };
    expect((await call("POST", "/api/v3/mail/send", message)).status).toBe(201);
    expect(await subjects("shop")).toEqual(["by JSON", "by recipient"]);
  });
});

describe("an inbox", () => {
  test("for one test is created, used and deleted", async () => {
    const { call, send, subjects } = await start();
    const { status, body } = await call("POST", "/api/v3/inboxes");
    expect(status).toBe(201);
    await send("only here", { user: body.user });
    expect(await subjects(body.name)).toEqual(["only here"]);
    expect((await call("GET", `${body.url}api/v3/mail/count`)).body).toEqual({ count: 1 });
    expect((await call("DELETE", `/api/v3/inboxes/${body.name}`)).body).toEqual({ deleted: 1 });
    expect((await call("GET", "/api/v3/inboxes")).body).toEqual({ inboxes: [] });
    expect((await call("GET", `/api/v3/inboxes/${body.name}`)).status).toBe(404);
    expect(await subjects(body.name)).toEqual([]);
  });

  test("is listed with its number of messages, unless it is locked", async () => {
    const { call, send } = await start();
    await send("one", { user: "ci+one" });
    await send("two", { user: "ci+one" });
    await call("POST", "/inbox/posted/api/v3/mail/messages?to=b@example.com", {});
    await call("PUT", "/api/v3/inboxes/empty");
    await call("PUT", "/api/v3/inboxes/own", { token: "secret-of-inbox" });
    const listed = async (query: string) => {
      const { body } = await call("GET", `/api/v3/inboxes${query}`);
      return body.inboxes.map(({ name, messages, locked }: never) => [name, messages, locked]);
    };
    expect(await listed("?counts=true")).toEqual([
      ["empty", 0, undefined],
      ["one", 2, undefined],
      ["own", undefined, true],
      ["posted", 1, undefined],
    ]);
    expect(await listed("")).toContainEqual(["one", undefined, undefined]);
    const { sessions } = (await call("GET", "/api/v3/mail/sessions")).body;
    expect(sessions.map(({ stored, inboxes }: never) => inboxes[stored[0]])).toEqual(["one", "one"]);
  });

  test("reads and deletes only its own messages", async () => {
    const { call, send, subjects } = await start();
    await send("one", { user: "ci+one" });
    await send("two", { user: "ci+two" });
    const [{ id }] = (await call("GET", "/inbox/one/api/v3/mail/messages")).body.messages;
    expect((await call("GET", `/inbox/one/api/v3/mail/messages/${id}`)).body.subject).toBe("one");
    expect((await call("GET", `/inbox/two/api/v3/mail/messages/${id}`)).status).toBe(404);
    expect((await call("GET", `/api/v3/mail/messages/${id}`)).status).toBe(404);
    expect((await call("GET", `/inbox/two/api/v1/messages/${id}`)).status).toBe(404);
    await call("DELETE", "/inbox/one/api/v1/messages");
    expect(await subjects("one")).toEqual([]);
    expect(await subjects("two")).toEqual(["two"]);
  });

  test("rejects messages beyond its quota, and deletes the oldest beyond its maximum", async () => {
    const { call, send, subjects } = await start();
    await call("PUT", "/api/v3/inboxes/small", { quota: 1 });
    await send("first", { user: "ci+small" });
    await expect(send("second", { user: "ci+small" })).rejects.toMatchObject({ responseCode: 452 });
    expect(await subjects("small")).toEqual(["first"]);
    const posted = await call("POST", "/inbox/small/api/v3/mail/messages?to=b@example.com", {});
    expect(posted).toMatchObject({ status: 503, body: { code: "MAIL_STORE_FULL" } });
    await call("PUT", "/api/v3/inboxes/short", { maxMessages: 1 });
    await send("first", { user: "ci+short" });
    await send("second", { user: "ci+short" });
    await expect.poll(() => subjects("short")).toEqual(["second"]);
  });

  test("has its own faults, by definition or by MailHog's Jim", async () => {
    const { call, send } = await start();
    const never = { acceptChance: 1, disconnectChance: 0, linkSpeedAffect: 0, rejectAuthChance: 0 };
    const chaos = { ...never, rejectSenderChance: 1, rejectRecipientChance: 0 };
    await call("PUT", "/api/v3/inboxes/broken", { chaos });
    await expect(send("x", { user: "ci+broken" })).rejects.toMatchObject({ responseCode: 550 });
    await send("x", { user: "ci+sound" });
    expect((await call("GET", "/inbox/sound/api/v2/jim")).status).toBe(404);
    const jim = { AcceptChance: 1, RejectRecipientChance: 1 };
    expect((await call("POST", "/inbox/sound/api/v2/jim", jim)).status).toBe(201);
    await expect(send("x", { user: "ci+sound" })).rejects.toMatchObject({ responseCode: 550 });
    await send("x");
  });

  test.each([
    ["a recipient", { to: "*@shop.example" }, { to: "b@shop.example" }, "RCPT TO"],
    ["an address", { address: "127.0.0.0/8" }, {}, "RCPT TO"],
    ["a header", { header: "X-Project: shop*" }, { headers: { "X-Project": "shop" } }, "DATA"],
  ] as const)("that %s chooses has its faults as soon as it is known", async (_, rule, fitting, command) => {
    const { call, send, subjects } = await start();
    const never = { acceptChance: 1, disconnectChance: 0, linkSpeedAffect: 0, rejectAuthChance: 0 };
    const chaos = { ...never, rejectSenderChance: 0, rejectRecipientChance: 1 };
    await call("PUT", "/api/v3/inboxes/other", { rules: [{ user: "x" }], chaos });
    await call("PUT", "/api/v3/inboxes/shop", { rules: [rule], chaos });
    await expect(send("x", fitting)).rejects.toMatchObject({ responseCode: 550, command });
    await call("PUT", "/api/v3/inboxes/shop", { rules: [rule] });
    await send("sound", fitting);
    expect(await subjects("shop")).toEqual(["sound"]);
    const { sessions } = (await call("GET", "/api/v3/mail/sessions")).body;
    expect(sessions).toHaveLength(2);
  });

  test("has its own port, whatever the rules and the user, with all of its faults", async () => {
    const { call, send, subjects, urlOf } = await start({ mail: { inboxPorts: { shop: 0 } } });
    const listener = "smtp:shop";
    await call("PUT", "/api/v3/inboxes/other", { rules: [{ to: "*" }] });
    await send("one", { listener });
    await send("two", { listener, user: "ci+other" });
    await send("three");
    expect(await subjects("shop")).toEqual(["two", "one"]);
    expect(await subjects("other")).toEqual(["three"]);
    const { body } = await call("GET", "/api/v3/inboxes");
    expect(body.inboxes.map(({ name }: { name: string }) => name)).toEqual(["other", "shop"]);
    await call("PUT", "/api/v3/inboxes/shop", { quota: 1 });
    await expect(send("four", { listener })).rejects.toMatchObject({ responseCode: 452 });
    await call("PUT", "/api/v3/inboxes/shop", { chaos: { acceptChance: 0 } });
    await expect(send("five", { listener })).rejects.toMatchObject({ command: "CONN" });
    await send("six");
    await call("DELETE", "/api/v3/inboxes/shop");
    await send("seven", { listener });
    expect(await subjects("shop")).toEqual(["seven"]);
    const port = Number(new URL(urlOf(listener)).port);
    await expect(
      startServer({ ...quiet, journals: [], mail: { inboxPorts: { blog: port } } }),
    ).rejects.toMatchObject({
      code: "SERVER_PORT_TAKEN",
      details: { listener: "smtp:blog", port },
    });
  });

  test.each([
    [{ Shop: 1 }, {}],
    [{ default: 1 }, {}],
    [{ shop: 70_000 }, {}],
    [{ shop: 1 }, { store: { layout: "mhdynamo" } }],
  ] as const)("rejects the ports %j, %j", async (inboxPorts, more) => {
    await expect(startServer({ ...quiet, mail: { inboxPorts, ...more } })).rejects.toMatchObject({
      code: "SERVER_OPTION_INVALID",
    });
  });

  test("gets what is sent over HTTP to its path, whatever the rules", async () => {
    const { call, subjects, urlOf } = await start();
    await call("PUT", "/api/v3/inboxes/all", { rules: [{ to: "*" }] });
    const message = { from: "a@example.com", to: "b@example.com", text: "x" };
    const sent = await call("POST", "/inbox/shop/api/v3/mail/send", { ...message, subject: "JSON" });
    expect(sent.status).toBe(201);
    const credentials = { accessKeyId: "any", secretAccessKey: "any" };
    const endpoint = new URL("/inbox/shop", urlOf("http")).href;
    const ses = new SESv2Client({ endpoint, region: "us-east-1", credentials });
    const Content = { Simple: { Subject: { Data: "SES" }, Body: { Text: { Data: "x" } } } };
    const Destination = { ToAddresses: ["b@example.com"] };
    await ses.send(new SendEmailCommand({ FromEmailAddress: "a@example.com", Destination, Content }));
    await expect(ses.send(new GetAccountCommand({}))).rejects.toMatchObject({
      name: "UnknownOperationException",
    });
    ses.destroy();
    const form = new URLSearchParams({
      Action: "SendEmail",
      Source: "a@example.com",
      "Destination.ToAddresses.member.1": "b@example.com",
      "Message.Subject.Data": "SES version 1",
      "Message.Body.Text.Data": "x",
    });
    const answer = await fetch(new URL("/inbox/shop/", urlOf("http")), { method: "POST", body: form });
    expect(await answer.text()).toContain("<MessageId>");
    expect(await subjects("shop")).toEqual(["SES version 1", "SES", "JSON"]);
    expect([await subjects("all"), await subjects()]).toEqual([[], []]);
    await call("PUT", "/api/v3/inboxes/shop", { token: "secret-of-shop", quota: 3 });
    const post = (headers: Record<string, string>) =>
      call("POST", "/inbox/shop/api/v3/mail/send", message, headers);
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: "Bearer secret-of-shop" })).body.code).toBe("MAIL_STORE_FULL");
  });

  test("with a token is closed to others, and open to its holder on a server with users", async () => {
    const token = { authorization: "Bearer secret-of-inbox" };
    const open = await start();
    await open.call("PUT", "/api/v3/inboxes/own", { token: "secret-of-inbox" });
    expect((await open.call("GET", "/inbox/own/api/v2/messages")).status).toBe(401);
    expect((await open.call("GET", "/inbox/own/api/v2/messages", undefined, token)).status).toBe(200);
    expect((await open.call("GET", "/inbox/other/api/v2/messages")).status).toBe(200);
    expect((await open.call("GET", "/api/v3/inboxes/own")).body).toMatchObject({ token: true });
    const users = parseUsers(`anna:${hashSync("right", 4)}\n`, "users");
    const closed = await start({ users, smtp: false });
    const anna = { authorization: `Basic ${Buffer.from("anna:right").toString("base64")}` };
    await closed.call("PUT", "/api/v3/inboxes/own", { token: "secret-of-inbox" }, anna);
    for (const [path, status] of [
      ["/inbox/own/api/v2/messages", 200],
      ["/inbox/own/api/v3/mail/messages", 200],
      ["/inbox/own/api/v3/mail/relays", 401],
      ["/inbox/other/api/v2/messages", 401],
      ["/api/v2/messages", 401],
      ["/api/v3/inboxes", 401],
    ] as const)
      expect((await closed.call("GET", path, undefined, token)).status, path).toBe(status);
    expect((await closed.call("GET", "/inbox/own/api/v2/messages", undefined, anna)).status).toBe(200);
  });

  test("accepts the password of its user", async () => {
    const users = parseUsers(`ci:${hashSync("right", 4)}\n`, "users");
    const { send, subjects } = await start({ mail: { users } });
    await send("x", { user: "ci+branch", pass: "right" });
    expect(await subjects("branch")).toEqual(["x"]);
    await expect(send("x", { user: "ci+branch", pass: "wrong" })).rejects.toMatchObject({
      responseCode: 535,
    });
  });

  test("has its own WebSocket", async () => {
    const { urlOf, send } = await start();
    const url = new URL("/inbox/live/api/v2/websocket", urlOf("http").replace("http", "ws"));
    const socket = new WebSocket(url);
    onTestFinished(() => socket.terminate());
    const received: string[] = [];
    socket.on("message", (data) => received.push(JSON.parse(String(data)).Content.Headers.Subject[0]));
    await new Promise((resolve) => socket.once("open", resolve));
    await expect
      .poll(async () => {
        await send("elsewhere");
        await send("here", { user: "ci+live" });
        return received[0];
      })
      .toBe("here");
    expect(new Set(received)).toEqual(new Set(["here"]));
  });

  test.each([
    ["A", {}],
    ["a", { rules: [{}] }],
    ["a", { rules: [{ from: "x" }] }],
    ["a", { rules: [{ port: "25" }] }],
    ["a", { rules: {} }],
    ["a", { token: "short" }],
    ["a", { ttlDays: 0 }],
    ["a", { quota: 0 }],
    ["a", { chaos: { acceptChance: 2 } }],
    ["a", { color: "red" }],
    ["a", []],
  ])("cannot be defined as %j with %j", async (name, settings) => {
    const { call } = await start({ smtp: false });
    expect((await call("PUT", `/api/v3/inboxes/${name}`, settings)).status).toBe(400);
  });
});

import { createHmac } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { ensureTable } from "@tablekeep/client";
import { type LogFields, silentLogger, systemClock, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type MailSummary, mailTableSpec } from "@tablekeep/mail";
import { describe, expect, onTestFinished, test } from "vitest";
import { memoryReceiver } from "../../../../test/smtp/memory-receiver.ts";
import { startSmtp } from "../../../../test/smtp/start-smtp.ts";
import { tempFolder } from "../../../../test/temp-folder.ts";
import { readHooksFile } from "../../setting-files/mail-hooks-file.ts";
import { readRelayRulesFile } from "../../setting-files/relay-rules.ts";
import { type RunningServer, startServer } from "../../start-server.ts";
import { isLooping } from "./auto-relay.ts";
import { webHook } from "./web-hook.ts";

const ports = { httpPort: 0, smtpPort: 0, dynamodb: false, mqtt: false };

interface Received {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** A hook's server that answers with these statuses, and then with 200. */
async function hookServer(...statuses: number[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.writeHead(statuses.shift() ?? 200, { location: "http://127.0.0.1:1/" }).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received };
}

const send = async (server: RunningServer, message: object) => {
  const answer = await fetch(new URL("/api/v3/mail/send", server.listeners[0]?.url), {
    method: "POST",
    body: JSON.stringify({ from: "a@example.org", ...message }),
  });
  expect(answer.status).toBe(201);
  return (await answer.json()) as { id: string };
};

describe("a web hook", () => {
  test("gets a signed request for each message that it wants", async () => {
    const { url, received } = await hookServer();
    const key = Buffer.from("a key of the test");
    const secret = `whsec_${key.toString("base64")}`;
    await using server = await startServer({
      ...ports,
      memory: true,
      mail: { hooks: [{ name: "test", url, secret, to: "*@wanted.example", subject: "ORDER" }] },
    });
    await send(server, { to: "b@other.example", subject: "your order" });
    await send(server, { to: "b@wanted.example", subject: "news" });
    const { id } = await send(server, { to: ["x@y.example", "B@Wanted.example"], subject: "Your Order" });
    await expect.poll(() => received.length).toBe(1);
    const [{ headers, body } = { headers: {}, body: "" }] = received;
    expect(JSON.parse(body)).toMatchObject({ type: "mail.stored", message: { id, subject: "Your Order" } });
    const time = String(headers["webhook-timestamp"]);
    expect(headers["webhook-id"]).toBe(id);
    expect(time).toMatch(/^\d{10}$/);
    const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
  });

  test("of an inbox gets the messages of that inbox only, even after a restart", async () => {
    const { url, received } = await hookServer();
    const hooks = [{ name: "shop", url, inbox: "shop" }];
    const dataFolder = tempFolder();
    const post = async (server: RunningServer, inbox: string, subject: string) => {
      const path = `${inbox === "" ? "" : `/inbox/${inbox}`}/api/v3/mail/messages?to=b@example.org`;
      const answer = await fetch(new URL(path, server.listeners[0]?.url), {
        method: "POST",
        body: `Subject: ${subject}\r\n\r\n`,
      });
      expect(answer.status).toBe(201);
    };
    const reported = () =>
      received.map(({ body }) => JSON.parse(body)).map((each) => [each.inbox, each.message.subject]);
    {
      await using server = await startServer({ ...ports, dataFolder, mail: { hooks } });
      await post(server, "", "default");
      await post(server, "other", "other");
      await post(server, "shop", "one");
      await expect.poll(reported).toEqual([["shop", "one"]]);
    }
    {
      await using server = await startServer({ ...ports, dataFolder });
      await post(server, "shop", "two");
    }
    await using server = await startServer({ ...ports, dataFolder, mail: { hooks } });
    await post(server, "shop", "three");
    await expect
      .poll(() => [...new Set(reported().map(([, subject]) => subject))])
      .toEqual(["one", "two", "three"]);
    await expect(
      startServer({ ...ports, memory: true, mail: { hooks, store: { layout: "mhdynamo" } } }),
    ).rejects.toMatchObject({ code: "SERVER_OPTION_INVALID" });
  });

  test("that fails is logged with the reason, without a stack", async () => {
    const { url, received } = await hookServer(500);
    const errors: unknown[] = [];
    const warn = (_: string, fields?: LogFields) => void errors.push(fields?.["error"]);
    await using server = await startServer({
      ...ports,
      memory: true,
      logger: { ...silentLogger, warn },
      mail: {
        hooks: [
          { name: "broken", url },
          { name: "gone", url: "http://127.0.0.1:1/" },
        ],
      },
    });
    await send(server, { to: "b@example.org", subject: "one" });
    await expect.poll(() => received.length).toBeGreaterThan(0);
    await expect
      .poll(() => new Set(errors))
      .toEqual(new Set(["the hook returned status 500", expect.stringMatching(/^ECONNREFUSED|bad port$/)]));
  });

  test("gets the user and the password of its URL as a header", async () => {
    const { url, received } = await hookServer();
    const target = webHook({ name: "test", url: url.replace("://", "://ann:p%40ss%3A@") }, systemClock);
    const message = { id: "1", envelope: { to: [] }, created: 0, expires: 0 } as unknown as MailSummary;
    await target.forward(message, new AbortController().signal);
    const expected = `Basic ${Buffer.from("ann:p@ss:").toString("base64")}`;
    expect(received[0]?.headers["authorization"]).toBe(expected);
  });

  test("reports the first message on a store that is slow to start", async () => {
    const { url, received } = await hookServer();
    const engine = await openEngine({ storage: { kind: "memory" } });
    onTestFinished(() => engine.close());
    // The position of the hook is read long after everything else.
    const port = wrapPort(engine, async (operation, input, options, next) => {
      const isPosition = JSON.stringify(input).includes('"forwards"');
      if (isPosition) for (let turn = 0; turn < 2000; turn++) await new Promise(setImmediate);
      return next(operation, input, options);
    });
    await ensureTable(engine, mailTableSpec());
    const hooks = [{ name: "test", url }];
    await using server = await startServer({ ...ports, port, shadows: false, journals: [], mail: { hooks } });
    await send(server, { to: "b@example.org", subject: "first" });
    await expect.poll(() => received.map(({ body }) => JSON.parse(body).message.subject)).toEqual(["first"]);
  });

  test("fails for any other status, also for a redirect", async () => {
    const { url, received } = await hookServer(500, 302, 204);
    const target = webHook({ name: "test", url }, systemClock);
    const message = { id: "1", envelope: { to: [] }, created: 0, expires: 0 } as unknown as MailSummary;
    const attempt = () => target.forward(message, new AbortController().signal);
    await expect(attempt()).rejects.toMatchObject({ cause: { status: 500 } });
    await expect(attempt()).rejects.toMatchObject({ cause: { status: 302 } });
    await attempt();
    expect(received).toHaveLength(3);
    expect(received[0]?.headers["webhook-signature"]).toBeUndefined();
  });

  test.each([
    ["{}", ""],
    ['[{"url":"http://x.example"}]', "/0/name"],
    ['[{"name":"a","url":"ftp://x.example"}]', "/0/url"],
    ['[{"name":"a","url":"http://x.example","secrets":"s3cret"}]', "/0/secrets"],
    ['[{"name":"a","url":"http://x.example","inbox":"Shop!"}]', "/0/inbox"],
    ['[{"name":"a","url":"http://x.example"},{"name":"a","url":"http://y.example"}]', "/1/name"],
  ])("is rejected in a file: %s", (content, pointer) => {
    const path = `${tempFolder()}-hooks.json`;
    writeFileSync(path, content);
    expect(() => readHooksFile(path)).toThrow(
      expect.objectContaining({
        code: "SERVER_HOOKS_FILE_INVALID",
        details: expect.objectContaining({ path, pointer }),
        message: expect.not.stringContaining("s3cret"),
      }),
    );
  });
});

/** A relay that chooses the reply to each recipient. Returns the recipients of each message that it has accepted. */
async function choosyRelay(replyTo: (recipient: string, times: number) => string) {
  const accepted: string[][] = [];
  const times = new Map<string, number>();
  const server = createTcpServer((socket) => {
    let recipients: string[] = [];
    let inMessage = false;
    const reply = (line: string) => {
      if (inMessage) {
        if (line !== ".") return undefined;
        inMessage = false;
        accepted.push(recipients);
        recipients = [];
        return "250 queued";
      }
      const [, recipient] = /^RCPT TO:<(.*)>/.exec(line) ?? [];
      if (recipient === undefined) {
        inMessage = line === "DATA";
        return inMessage ? "354 go" : "250 ok";
      }
      times.set(recipient, (times.get(recipient) ?? 0) + 1);
      const chosen = replyTo(recipient, times.get(recipient) ?? 0);
      if (chosen.startsWith("2")) recipients.push(recipient);
      return chosen;
    };
    socket.on("error", () => {});
    socket.write("220 hi\r\n");
    createInterface(socket).on("line", (line) => {
      const answer = reply(line);
      if (answer !== undefined) socket.write(`${answer}\r\n`);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, accepted };
}

describe("the automatic relay", () => {
  test("sends to recipients again that were rejected for now, and to no others; logs those that were rejected", async () => {
    const { port, accepted } = await choosyRelay((recipient, times) => {
      if (recipient.startsWith("unknown")) return "550 no such user";
      return recipient.startsWith("busy") && times === 1 ? "450 try again later" : "250 ok";
    });
    const logged: string[] = [];
    const log = (_message: string, fields?: LogFields) => void logged.push(String(fields?.["error"]));
    await using server = await startServer({
      ...ports,
      memory: true,
      logger: { ...silentLogger, warn: log, error: log },
      mail: {
        relays: new Map([["office", { name: "office", host: "127.0.0.1", port }]]),
        relayRules: [{ relay: "office" }],
      },
    });
    await send(server, { to: ["ann@example.org", "busy@example.org", "unknown@example.org"], subject: "x" });
    await send(server, { to: "last@example.org", subject: "y" });
    await expect.poll(() => accepted.length).toBe(3);
    expect(accepted).toEqual([["ann@example.org"], ["busy@example.org"], ["last@example.org"]]);
    expect(logged).toEqual([
      "relay office rejected busy@example.org for now",
      "relay office rejected unknown@example.org",
    ]);
  });

  test("sends messages to the recipients that match, once, and marks them", async () => {
    const receiver = memoryReceiver();
    const { port } = await startSmtp({ receiver });
    await using server = await startServer({
      ...ports,
      memory: true,
      mail: {
        relays: new Map([["office", { name: "office", host: "127.0.0.1", port }]]),
        relayRules: [{ relay: "office", matching: "*@one.example, *@two.example" }],
      },
    });
    await send(server, { to: "a@three.example", subject: "no" });
    await send(server, { to: ["a@one.example", "a@two.example", "a@three.example"], subject: "yes" });
    await send(server, {
      to: "a@one.example",
      subject: "relayed before",
      headers: { "X-Tablekeep-Relayed": "elsewhere" },
    });
    await send(server, { to: "b@one.example", subject: "last" });
    await expect.poll(() => receiver.arrived.length).toBe(2);
    const [first, second] = receiver.arrived;
    expect(first?.envelope).toMatchObject({ from: "a@example.org", to: ["a@one.example", "a@two.example"] });
    expect(first?.raw.toString()).toMatch(/^X-Tablekeep-Relayed: mailhog\.example\r\n[\s\S]*Subject: yes/);
    expect(second?.raw.toString()).toContain("Subject: last");
    expect(isLooping(first?.raw ?? Buffer.alloc(0))).toBe(true);
  });

  test("sends the messages of an inbox by its own rule, and no others", async () => {
    const receiver = memoryReceiver();
    const { port } = await startSmtp({ receiver });
    const relay = (name: string) => [name, { name, host: "127.0.0.1", port }] as const;
    const mail = { relays: new Map([relay("office"), relay("home")]) };
    const relayRules = [
      { relay: "office", inbox: "shop", matching: "*@one.example" },
      { relay: "home", inbox: "blog" },
    ];
    await using server = await startServer({ ...ports, memory: true, mail: { ...mail, relayRules } });
    const url = server.listeners.find(({ name }) => name === "http")?.url;
    const deliver = (inbox: string, to: string, subject: string, more = "") =>
      fetch(new URL(`${inbox}/api/v3/mail/messages?from=a@example.org&to=${to}`, url), {
        method: "POST",
        body: `${more}Subject: ${subject}\r\n\r\nx\r\n`,
      });
    await deliver("", "x@one.example", "of the default inbox");
    await deliver("/inbox/shop", "x@two.example", "not matching");
    await deliver("/inbox/blog", "x@one.example", "looping", "X-Tablekeep-Relayed: elsewhere\r\n");
    await deliver("/inbox/shop", "x@one.example", "of the shop");
    await deliver("/inbox/blog", "x@two.example", "of the blog");
    const subjects = () =>
      receiver.arrived.map(({ raw }) => /Subject: (.*)\r/.exec(raw.toString())?.[1]).toSorted();
    await expect.poll(() => subjects().length).toBe(2);
    expect(subjects()).toEqual(["of the blog", "of the shop"]);
    await expect(
      startServer({ ...ports, memory: true, mail: { ...mail, relayRules: [{ relay: "none" }] } }),
    ).rejects.toMatchObject({ code: "SERVER_OPTION_INVALID" });
    const twice = [{ relay: "home" }, { relay: "home", matching: "*" }];
    await expect(
      startServer({ ...ports, memory: true, mail: { ...mail, relayRules: twice } }),
    ).rejects.toMatchObject({ code: "SERVER_OPTION_INVALID" });
  });

  test.each([
    ["[{", undefined],
    ["{}", ""],
    ['[{"relay":"a"},1]', "/1"],
    ['[{"relay":"a","to":"b"}]', "/0/to"],
    ['[{"inbox":"shop"}]', "/0/relay"],
    ['[{"relay":"a","inbox":"No Name"}]', "/0/inbox"],
    ['[{"relay":"a","matching":1}]', "/0/matching"],
  ])("rejects the rules %s", (text, pointer) => {
    const path = `${tempFolder()}.json`;
    writeFileSync(path, text);
    expect(() => readRelayRulesFile(path)).toThrow(
      expect.objectContaining({
        code: "SERVER_RELAY_RULES_INVALID",
        details: expect.objectContaining({ path, pointer }),
      }),
    );
  });

  test("detects loops by the number of Received fields", () => {
    const hops = (count: number) =>
      Buffer.from(`${"Received: from x by y\r\n".repeat(count)}\r\nReceived: no\r\n`);
    expect([24, 25].map((count) => isLooping(hops(count)))).toEqual([false, true]);
  });
});

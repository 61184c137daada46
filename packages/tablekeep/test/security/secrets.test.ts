/** Secrets and contents are in no log line, no error, no metric and no transcript. */
import { format, inspect } from "node:util";
import { httpPort } from "@tablekeep/client";
import type { Logger } from "@tablekeep/core";
import { hashSync } from "bcryptjs";
import { connectAsync } from "mqtt";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newToken, parseTokens, parseUsers, tokenHash } from "../../src/server/auth/secret-files.ts";
import { startTestServer, type TestServer } from "../../src/testing/start-test-server.ts";
import { rawClient } from "../smtp/smtp-client.ts";
import { everyRoute, filled } from "./every-route.ts";

const canaries = {
  password: "canary-password-1",
  wrongPassword: "canary-wrong-2",
  token: newToken(),
  wrongToken: "canary-bearer-4",
  secretKey: "canary-secret-key-5",
  otherSecretKey: "canary-other-key-6",
  sessionToken: "canary-session-7",
  smtpPassword: "canary-smtp-8",
  mqttPassword: "canary-mqtt-9",
  relayPassword: "canary-relay-10",
  cookie: "canary-cookie-11",
  body: "canary-body-12",
  payload: "canary-payload-13",
  document: "canary-document-14",
  item: "canary-item-15",
};

let server: TestServer;
let logged = "";
const write = (message: string, fields?: object) => {
  // As a careless logger would: everything, however deep, with stacks and causes.
  logged += `${message} ${inspect(fields, { depth: 20, showHidden: true })} ${format("%j", fields)}\n`;
};
const logger: Logger = { debug: write, info: write, warn: write, error: write };
const users = (password: string) => parseUsers(`ann:${hashSync(password, 4)}\n`, "users");
const basic = (password: string) => ({ authorization: `Basic ${btoa(`ann:${password}`)}` });

beforeAll(async () => {
  server = await startTestServer({
    logger,
    users: users(canaries.password),
    tokens: parseTokens(`ci:${tokenHash(canaries.token)}\n`, "tokens"),
    accessKeys: { AKIDCANARY: canaries.secretKey },
    mail: {
      users: users(canaries.smtpPassword),
      relays: new Map([
        [
          "relay",
          { name: "relay", host: "127.0.0.1", port: 1, username: "ann", password: canaries.relayPassword },
        ],
      ]),
    },
    shadows: { users: users(canaries.mqttPassword) },
  });
});
afterAll(() => server.stop());

/** All output to unauthorized or failed clients. */
let answers = "";
async function send(path: string, init: RequestInit): Promise<number> {
  const answer = await fetch(new URL(path, server.url), { redirect: "manual", ...init });
  if (answer.status >= 400) answers += `${path} ${inspect([...answer.headers])} ${await answer.text()}\n`;
  else await answer.body?.cancel();
  return answer.status;
}

test("requests that are rejected or fail, by every route", async () => {
  const openApi = await fetch(new URL("/api/v3/openapi.json", server.url), {
    headers: basic(canaries.password),
  });
  expect(openApi.status).toBe(200);
  const right = [basic(canaries.password), { authorization: `Bearer ${canaries.token}` }];
  // Few, because failed attempts are delayed.
  const wrong = [
    basic(canaries.wrongPassword),
    { authorization: `Bearer ${canaries.wrongToken}` },
    { authorization: `AWS4-HMAC-SHA256 Credential=AKIDCANARY/x, Signature=${canaries.otherSecretKey}` },
  ];
  const bodies = [
    `{"events":[{"payload":"${canaries.payload}"}],"wrong":"${canaries.payload}"}`,
    `{"state":{"desired":{"a":"${canaries.document}"}},"version":"${canaries.document}"}`,
    `{"broken": "${canaries.payload}`,
  ];
  const routes = await everyRoute();
  const statuses = new Set<number>();
  for (const [number, { method, path }] of routes.entries()) {
    for (const [at, signIn] of (number === 0 ? [...right, ...wrong] : right).entries()) {
      const headers = {
        ...signIn,
        cookie: `session=${canaries.cookie}`,
        "x-amz-security-token": canaries.sessionToken,
      };
      const body =
        method === "GET" || method === "DELETE" ? {} : { body: bodies[(number + at) % bodies.length] ?? "" };
      statuses.add(await send(filled(path, "x"), { method, headers, ...body }));
    }
  }
  expect([...statuses]).toEqual(expect.arrayContaining([400, 401, 404]));
});

test("signatures that do not fit, and items that are rejected", async () => {
  const options = { endpoint: server.dynamodbUrl, region: "us-east-1", maxAttempts: 1 };
  for (const [accessKeyId, secretAccessKey] of [
    ["AKIDCANARY", canaries.secretKey],
    ["AKIDCANARY", canaries.otherSecretKey],
    ["AKIDOTHER", canaries.otherSecretKey],
  ] as const) {
    const credentials = { accessKeyId, secretAccessKey, sessionToken: canaries.sessionToken };
    await using port = httpPort({ ...options, credentials, logger });
    const error = await port.putItem({ TableName: "mail", Item: { wrong: { S: canaries.item } } }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeDefined();
    answers += inspect(error, { depth: 20, showHidden: true });
  }
});

test("mail, with right and wrong credentials, and interrupted", async () => {
  const { hostname: host, port } = new URL(server.smtpUrl);
  for (const pass of [canaries.smtpPassword, canaries.wrongPassword]) {
    const transport = createTransport({ host, port: Number(port), auth: { user: "ann", pass } });
    const sent = transport.sendMail({ from: "a@b.test", to: "c@d.test", subject: "x", text: canaries.body });
    const error = await sent.then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
    if (pass !== canaries.smtpPassword) expect(error).toContain("535");
    answers += error ?? "";
  }
  const client = await rawClient(server.smtpUrl);
  const plain = btoa(`\0ann\0${canaries.smtpPassword}`);
  answers += await client.say(
    `EHLO a\r\nAUTH PLAIN ${plain}\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\n`,
    5,
  );
  client.send(`Subject: x\r\n\r\n${canaries.body}`);
  client.socket.destroy();
  const headers = basic(canaries.password);
  const { items } = (await (await fetch(new URL("/api/v2/messages", server.url), { headers })).json()) as {
    items: { ID: string }[];
  };
  const body = JSON.stringify({ name: "relay", email: "e@f.test" });
  expect(
    await send(`/api/v1/messages/${items[0]?.ID}/release`, { method: "POST", headers, body }),
  ).toBeGreaterThan(399);
});

test("MQTT, with right and wrong credentials, and documents that are rejected", async () => {
  const wrong = { username: "ann", password: canaries.wrongPassword, reconnectPeriod: 0 };
  const rejected = await connectAsync(server.mqttUrl, wrong, false).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(rejected).toBeDefined();
  answers += inspect(rejected);
  const client = await connectAsync(server.mqttUrl, { username: "ann", password: canaries.mqttPassword });
  for (const document of [`{"state":{"desired":"${canaries.document}"}}`, `{"${canaries.document}`])
    await client.publishAsync("$aws/things/a/shadow/update", document, { qos: 1 });
  await client.endAsync();
});

test("no secret is in a log, a response, a metric or a transcript", async () => {
  const shown = await Promise.all(
    [
      "/metrics",
      "/about",
      "/readyz",
      "/healthz",
      "/api/v3/mail/sessions",
      "/api/v3/mail/relays",
      "/api/v2/outgoing-smtp",
    ].map(async (path) =>
      (await fetch(new URL(path, server.url), { headers: basic(canaries.password) })).text(),
    ),
  );
  expect(answers.length).toBeGreaterThan(5000);
  expect(logged.length).toBeGreaterThan(100);
  const everything = `${logged}\n${answers}\n${shown.join("\n")}`;
  for (const [name, canary] of Object.entries(canaries)) {
    for (const form of [
      canary,
      btoa(canary),
      encodeURIComponent(canary),
      Buffer.from(canary).toString("hex"),
    ])
      expect(everything.includes(form), `${name} in ${around(everything, form)}`).toBe(false);
  }
});

function around(text: string, found: string): string {
  const at = text.indexOf(found);
  return at === -1 ? "" : text.slice(Math.max(0, at - 200), at + 60);
}

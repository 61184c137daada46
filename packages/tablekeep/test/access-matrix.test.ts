/**
 * Access to the server: every listener, every route and every web socket, from the lists that the server itself uses.
 * A new one is tested without being named here; a new listener without a rule fails.
 */
import { request } from "node:http";
import { httpPort } from "@tablekeep/client";
import { type Logger, silentLogger } from "@tablekeep/core";
import { hashSync } from "bcryptjs";
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { parseTokens, parseUsers, tokenHash } from "../src/server/auth/secret-files.ts";
import type { HttpRoute } from "../src/server/http/http-route.ts";
import { type RunningServer, startServer } from "../src/server/start-server.ts";
import { servedEndpoints } from "./served-endpoints.ts";
import { rawClient } from "./smtp/smtp-client.ts";
import { tempFolder } from "./temp-folder.ts";

const users = parseUsers(`anna:${hashSync("right", 4)}\n`, "users");
const options = {
  memory: true,
  httpPort: 0,
  dynamodbPort: 0,
  smtpPort: 0,
  mqttPort: 0,
  webPath: "/box",
  users,
  tokens: parseTokens(`ci:${tokenHash("tk_right")}\n`, "tokens"),
} as const;

const { routes, upgrades: sockets } = await servedEndpoints(options);
const upgrades = sockets.map(({ path, access }) => ({ path: path.replace(/:\w+/g, "x"), access }));
const endpoints = routes.map(({ method, path, access }): Endpoint => {
  // Routes that wait for a message wait only briefly.
  return { method, path: `${path.replace(/[:*]\w+/g, "x")}?timeoutMs=1`, access };
});
type Endpoint = Pick<HttpRoute, "method" | "path" | "access">;
const signedIn = endpoints.filter(({ access, method }) => access !== "anybody" && method !== "OPTIONS");
const changing = endpoints.filter(({ method }) => !["GET", "OPTIONS"].includes(method));

let server: RunningServer;
beforeAll(async () => {
  server = await startServer(options);
});
afterAll(() => server.stop());

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Sends a request with any headers, and reads only the head of the response: some responses never end. */
function send(
  { method, path }: Endpoint,
  headers: Record<string, string>,
  { listeners }: RunningServer = server,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, listeners[0]?.url), { method, headers, agent: false }, (answer) => {
      answer.destroy();
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers });
    });
    sent.on("error", reject);
    sent.end();
  });
}

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
const right = basic("anna:right");
const token = { authorization: "Bearer tk_right" };

/** Sends the requests in sequence, and returns what is wrong with them. */
async function wrongOnes(
  all: readonly Endpoint[],
  headers: Record<string, string>,
  isRight: (answer: Answer, endpoint: Endpoint) => boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const endpoint of all) {
    const answer = await send(endpoint, headers);
    if (!isRight(answer, endpoint)) wrong.push(`${endpoint.method} ${endpoint.path}: ${answer.status}`);
  }
  return wrong;
}

describe("every route", () => {
  test("is listed: few are public, and most require authentication", () => {
    const open = endpoints.filter(({ access }) => access === "anybody");
    expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /healthz?timeoutMs=1",
      "GET /readyz?timeoutMs=1",
    ]);
    expect(signedIn.length).toBeGreaterThan(60);
  });

  test("rejects requests without credentials", async () => {
    expect(await wrongOnes(signedIn, {}, ({ status }) => status === 401)).toEqual([]);
  });

  test("accepts a user", async () => {
    const isIn = ({ status }: Answer) => status !== 401 && status !== 403 && status !== 429;
    expect(await wrongOnes(signedIn, right, isIn)).toEqual([]);
  });

  test("accepts a token, except on MailHog's paths", async () => {
    const fits = ({ status }: Answer, { access }: Endpoint) => (status === 401) === (access === "passwords");
    expect(await wrongOnes(signedIn, token, fits)).toEqual([]);
    const paths = new Set(signedIn.filter(({ access }) => access === "passwords").map(({ path }) => path));
    expect([...paths].every((path) => /^\/box\/(?:inbox\/x\/)?api\/v[12]\//.test(path))).toBe(true);
  });

  test("rejects a wrong password and a wrong token", async () => {
    for (const wrong of [basic("anna:wrong"), { authorization: "Bearer tk_wrong" }])
      expect(await wrongOnes(signedIn, wrong, ({ status }) => [401, 429].includes(status))).toEqual([]);
  });

  test("rejects the host name of another server", async () => {
    const forged = { ...right, host: "evil.example" };
    expect(await wrongOnes(endpoints, forged, ({ status }) => status === 403)).toEqual([]);
  });

  test("that changes something rejects pages of other sites", async () => {
    for (const origin of [
      "http://evil.example",
      "null",
      "http://127.0.0.1:1",
      "https://localhost.evil.example",
    ])
      expect(await wrongOnes(changing, { ...right, origin }, ({ status }) => status === 403)).toEqual([]);
    expect(changing.length).toBeGreaterThan(20);
  });

  test("sends security headers", async () => {
    const isSafe = ({ headers }: Answer) =>
      headers["x-content-type-options"] === "nosniff" &&
      headers["referrer-policy"] === "no-referrer" &&
      /default-src 'none'/.test(String(headers["content-security-policy"]));
    expect(await wrongOnes(endpoints, right, isSafe)).toEqual([]);
    expect(await wrongOnes(endpoints, {}, isSafe)).toEqual([]);
  });
});

/** The status that an upgrade ends with: 101, or that of the rejection. */
function upgradeStatus(path: string, headers: Record<string, string>, { listeners } = server) {
  const url = new URL(path, listeners[0]?.url.replace("http", "ws"));
  return new Promise<number>((resolve) => {
    const socket = new WebSocket(url, ["mqtt"], { headers });
    socket.on("open", () => {
      socket.terminate();
      resolve(101);
    });
    socket.on("unexpected-response", (_request, response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on("error", () => {});
  });
}

describe("every web socket", () => {
  test("requires authentication", () => {
    expect(upgrades.length).toBeGreaterThanOrEqual(2);
    expect(upgrades.filter(({ access }) => access !== "users" && access !== "passwords")).toEqual([]);
  });

  test.each(upgrades)("$path accepts the right credentials, and nothing else", async ({ path, access }) => {
    expect(await upgradeStatus(path, {})).toBe(401);
    expect(await upgradeStatus(path, right)).toBe(101);
    expect(await upgradeStatus(path, token)).toBe(access === "users" ? 101 : 401);
    expect([401, 429]).toContain(await upgradeStatus(path, basic("anna:wrong")));
    const forgeries: Record<string, string>[] = [{ host: "evil.example" }, { origin: "http://evil.example" }];
    for (const forged of forgeries) expect(await upgradeStatus(path, { ...right, ...forged })).toBe(403);
  });
});

/** A request to an endpoint of DynamoDB, signed with this secret. */
async function signedRequest(url: string, secret: string | undefined): Promise<boolean> {
  if (secret === undefined) {
    const headers = { "x-amz-target": "DynamoDB_20120810.ListTables" };
    return (await fetch(url, { method: "POST", body: "{}", headers })).status === 200;
  }
  const credentials = { accessKeyId: "anna", secretAccessKey: secret };
  await using port = httpPort({ endpoint: url, region: "us-east-1", credentials, maxAttempts: 1 });
  return port.listTables({}).then(
    () => true,
    () => false,
  );
}

/** For each listener: whether a client with the right credentials, with wrong ones or without any gets in. */
const listenerRules: Readonly<Record<string, (url: string, secret: string | undefined) => Promise<boolean>>> =
  {
    async http(url, secret) {
      const headers = secret === undefined ? {} : basic(`anna:${secret}`);
      return (
        (await fetch(new URL(`${options.webPath}/api/v3/mail/messages`, url), { headers })).status === 200
      );
    },
    dynamodb: signedRequest,
    commands: signedRequest,
    async smtp(url, secret) {
      const client = await rawClient(url);
      await client.say("EHLO x\r\n");
      const plain = Buffer.from(`\0anna\0${secret}`).toString("base64");
      if (secret !== undefined) await client.say(`AUTH PLAIN ${plain}\r\n`);
      const reply = await client.say("MAIL FROM:<a@b.test>\r\n");
      client.socket.destroy();
      return reply.startsWith("250");
    },
    async mqtt(url, secret) {
      const signIn = secret === undefined ? {} : { username: "anna", password: secret };
      const client = await connectAsync(url, { reconnectPeriod: 0, ...signIn }, false).catch(() => undefined);
      await client?.endAsync();
      return client !== undefined;
    },
  };

describe("every listener", () => {
  /** Where the listeners are, as the server logs each of them: also those that it does not show to users. */
  const urls = new Map<string, string>();
  const logger: Logger = {
    ...silentLogger,
    info: (message, fields) => {
      if (message === "listening") urls.set(String(fields?.["listener"]), String(fields?.["url"]));
    },
  };
  const stored = { memory: false, dataFolder: tempFolder() };
  const guarded = {
    ...options,
    ...stored,
    accessKeys: { anna: "right" },
    mail: { users },
    shadows: { users },
    logger,
  };
  let all: RunningServer;
  beforeAll(async () => {
    all = await startServer(guarded);
  });
  afterAll(() => all.stop());

  test("has a rule here", () => {
    expect([...urls.keys()].toSorted()).toEqual(Object.keys(listenerRules).toSorted());
  });

  test.each(Object.keys(listenerRules))(
    "%s accepts the right credentials, and nothing else",
    async (name) => {
      const url = urls.get(name) ?? "";
      const rule = listenerRules[name];
      expect(await rule?.(url, undefined)).toBe(false);
      expect(await rule?.(url, "wrong")).toBe(false);
      // The endpoint for commands has its own keys, which are in the folder.
      expect(await rule?.(url, "right")).toBe(name !== "commands");
    },
  );

  test("web sockets of MQTT require MQTT's authentication in addition to HTTP's", async () => {
    const url = `${all.listeners[0]?.url.replace("http", "ws")}mqtt`;
    const wsOptions = { headers: right };
    const connected = (given: object) =>
      connectAsync(url, { reconnectPeriod: 0, ...given }, false).then(
        async (client) => {
          await client.endAsync();
          return true;
        },
        () => false,
      );
    const signIn = { username: "anna", password: "right" };
    expect(await connected({})).toBe(false);
    expect(await connected(signIn)).toBe(false);
    expect(await connected({ wsOptions })).toBe(false);
    expect(await connected({ wsOptions, ...signIn })).toBe(true);
  });
});

test("with keys, AWS's paths accept a signature and nothing else", async () => {
  const withKeys = { ...options, accessKeys: { AKID: "secret" } };
  const ofAws = (await servedEndpoints(withKeys)).routes.filter(({ access }) => access === "keys");
  const firstSegment = (path: string) => path.replace("/box/inbox/:inbox", "").split("/")[1];
  expect(new Set(ofAws.map(({ path }) => firstSegment(path)))).toEqual(
    new Set(["things", "api", "topics", "retainedMessage", "connections", "v2", ""]),
  );
  await using signed = await startServer(withKeys);
  for (const endpoint of ofAws) {
    for (const headers of [{}, right, token]) {
      const { status } = await send(
        { ...endpoint, path: endpoint.path.replace(/[:*]\w+/g, "x") },
        headers,
        signed,
      );
      expect([endpoint.method, endpoint.path, status]).toEqual([endpoint.method, endpoint.path, 403]);
    }
  }
});

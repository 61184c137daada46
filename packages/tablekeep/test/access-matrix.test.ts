/** Every route of the server, as the router has it, with every way to come in or to be kept out. */
import { request } from "node:http";
import { systemClock } from "@tablekeep/core";
import { hashSync } from "bcryptjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseTokens, tokenHash } from "../src/server/auth/tokens-file.ts";
import { parseUsers } from "../src/server/auth/users-file.ts";
import type { Access } from "../src/server/http/http-route.ts";
import { openBackend } from "../src/server/open-backend.ts";
import { servedTables } from "../src/server/served-tables.ts";
import { resolveServerOptions } from "../src/server/server-options.ts";
import { openParts } from "../src/server/server-parts.ts";
import { type RunningServer, startServer } from "../src/server/start-server.ts";
import { webGroups } from "../src/server/web-listener.ts";

const options = {
  memory: true,
  httpPort: 0,
  dynamodb: false,
  smtp: false,
  mqttPort: 0,
  webPath: "/box",
  users: parseUsers(`anna:${hashSync("right", 4)}\n`, "users"),
  tokens: parseTokens(`ci:${tokenHash("tk_right")}\n`, "tokens"),
} as const;

interface Door {
  readonly method: string;
  readonly path: string;
  readonly access: Access;
}

/** The routes of a server with these options. */
async function allDoors(): Promise<readonly Door[]> {
  const resolved = resolveServerOptions(options);
  const backend = await openBackend(resolved, servedTables(resolved));
  const parts = await openParts(backend, resolved);
  const facts = { version: "", storage: "", listeners: [] };
  const readiness = { whyNot: async () => undefined };
  const groups = webGroups(
    parts.byName,
    { facts, readiness, metrics: [] },
    { clock: systemClock, webPath: "/box" },
  );
  await parts.close();
  await backend.close();
  return groups.flatMap(({ access, routes }) =>
    // What waits for a message waits a moment only.
    routes.map(({ method, path }) => ({
      method,
      path: `${path.replace(/[:*]\w+/g, "x")}?timeoutMs=1`,
      access,
    })),
  );
}

const doors = await allDoors();
const signedIn = doors.filter(({ access, method }) => access !== "anybody" && method !== "OPTIONS");
const changing = doors.filter(({ method }) => !["GET", "OPTIONS"].includes(method));

let server: RunningServer;
beforeAll(async () => {
  server = await startServer(options);
});
afterAll(() => server.stop());

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Sends a request with any headers, and looks at the head of its answer alone: some answers never end. */
function ask({ method, path }: Door, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(path, server.listeners[0]?.url),
      { method, headers, agent: false },
      (answer) => {
        answer.destroy();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers });
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });
const right = basic("anna:right");
const token = { authorization: "Bearer tk_right" };

/** One request after the other, and what is wrong with them. */
async function wrongOnes(
  all: readonly Door[],
  headers: Record<string, string>,
  isRight: (answer: Answer, door: Door) => boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const door of all) {
    const answer = await ask(door, headers);
    if (!isRight(answer, door)) wrong.push(`${door.method} ${door.path}: ${answer.status}`);
  }
  return wrong;
}

describe("every route", () => {
  test("is there: few are open, and many ask who comes", () => {
    const open = doors.filter(({ access }) => access === "anybody");
    expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /healthz?timeoutMs=1",
      "GET /readyz?timeoutMs=1",
    ]);
    expect(signedIn.length).toBeGreaterThan(60);
  });

  test("lets nobody in without a sign-in", async () => {
    expect(await wrongOnes(signedIn, {}, ({ status }) => status === 401)).toEqual([]);
  });

  test("lets a user in", async () => {
    const isIn = ({ status }: Answer) => status !== 401 && status !== 403 && status !== 429;
    expect(await wrongOnes(signedIn, right, isIn)).toEqual([]);
  });

  test("takes a token, but for MailHog's paths", async () => {
    const fits = ({ status }: Answer, { access }: Door) => (status === 401) === (access === "passwords");
    expect(await wrongOnes(signedIn, token, fits)).toEqual([]);
    const paths = new Set(signedIn.filter(({ access }) => access === "passwords").map(({ path }) => path));
    expect([...paths].every((path) => /^\/box\/api\/v[12]\//.test(path))).toBe(true);
  });

  test("takes neither a wrong password nor a wrong token", async () => {
    for (const wrong of [basic("anna:wrong"), { authorization: "Bearer tk_wrong" }])
      expect(await wrongOnes(signedIn, wrong, ({ status }) => [401, 429].includes(status))).toEqual([]);
  });

  test("refuses the name of another server", async () => {
    const forged = { ...right, host: "evil.example" };
    expect(await wrongOnes(doors, forged, ({ status }) => status === 403)).toEqual([]);
  });

  test("that changes something refuses pages of other sites", async () => {
    for (const origin of [
      "http://evil.example",
      "null",
      "http://127.0.0.1:1",
      "https://localhost.evil.example",
    ])
      expect(await wrongOnes(changing, { ...right, origin }, ({ status }) => status === 403)).toEqual([]);
    expect(changing.length).toBeGreaterThan(20);
  });

  test("says to browsers what they may do with the answer", async () => {
    const isSafe = ({ headers }: Answer) =>
      headers["x-content-type-options"] === "nosniff" &&
      headers["referrer-policy"] === "no-referrer" &&
      /default-src 'none'/.test(String(headers["content-security-policy"]));
    expect(await wrongOnes(doors, right, isSafe)).toEqual([]);
    expect(await wrongOnes(doors, {}, isSafe)).toEqual([]);
  });
});

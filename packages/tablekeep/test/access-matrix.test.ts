/** Every route of the server, as the router has it, with every way to come in or to be kept out. */
import { request } from "node:http";
import { hashSync } from "bcryptjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseTokens, tokenHash } from "../src/server/auth/tokens-file.ts";
import { parseUsers } from "../src/server/auth/users-file.ts";
import { type RunningServer, startServer } from "../src/server/start-server.ts";
import { type ServedRoute, servedRoutes } from "./served-routes.ts";

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

const doors = (await servedRoutes(options)).map(({ method, path, access }): Door => {
  // What waits for a message waits a moment only.
  return { method, path: `${path.replace(/[:*]\w+/g, "x")}?timeoutMs=1`, access };
});
type Door = ServedRoute;
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
function ask(
  { method, path }: Door,
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

test("where there are keys, AWS's paths take a signature and nothing else", async () => {
  const withKeys = { ...options, accessKeys: { AKID: "secret" } };
  const ofAws = (await servedRoutes(withKeys)).filter(({ access }) => access === "keys");
  expect(new Set(ofAws.map(({ path }) => path.split("/")[1]))).toEqual(new Set(["things", "api", "topics"]));
  await using signed = await startServer(withKeys);
  for (const door of ofAws) {
    for (const headers of [{}, right, token]) {
      const { status } = await ask({ ...door, path: door.path.replace(/[:*]\w+/g, "x") }, headers, signed);
      expect([door.method, door.path, status]).toEqual([door.method, door.path, 403]);
    }
  }
});

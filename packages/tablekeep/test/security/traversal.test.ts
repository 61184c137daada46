/** Names in paths are names, never paths: nothing outside of the stores is read, written or shown. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../src/server/start-server.ts";
import { tempFolder } from "../temp-folder.ts";
import { openSocket } from "../wire/raw-dynamodb.ts";
import { everyRoute, filled, type KnownRoute } from "./every-route.ts";
import { readAll } from "./read-socket.ts";

const canary = "the-canary-in-the-file";
const dataFolder = tempFolder();
const parent = join(dataFolder, "..");
let server: RunningServer;
let url: string;
let routes: readonly KnownRoute[];
beforeAll(async () => {
  server = await startServer({ dataFolder, httpPort: 0, dynamodbPort: 0, smtpPort: 0, mqttPort: 0 });
  url = server.listeners.find(({ name }) => name === "http")?.url ?? "";
  routes = (await everyRoute()).filter(({ path }) => /[:*]/.test(path));
  for (const place of [parent, dataFolder]) writeFileSync(join(place, "canary.txt"), canary);
});
afterAll(() => server.stop());

const up = "../".repeat(12);
const names = [
  "../canary.txt",
  "..%2fcanary.txt",
  "%2e%2e%2fcanary.txt",
  "%2e%2e/canary.txt",
  "..%5ccanary.txt",
  "..%252fcanary.txt",
  "%c0%ae%c0%ae%c0%afcanary.txt",
  "..%00/canary.txt",
  "canary.txt%00",
  "%00",
  ".",
  "..",
  "...",
  encodeURIComponent(join(parent, "canary.txt")),
  encodeURIComponent(`${up}etc/passwd`),
  `${up}etc/passwd`,
  encodeURIComponent("\\\\127.0.0.1\\share\\canary.txt"),
  encodeURIComponent("file:///etc/passwd"),
  encodeURIComponent("C:\\Windows\\win.ini"),
  "~%2fcanary.txt",
  "a".repeat(300),
  "%20",
  "CON",
  "__proto__",
];

/** The whole response to a client that does not normalize the path. */
async function rawAnswer(method: string, path: string): Promise<string> {
  const socket = await openSocket(url);
  const body = method === "GET" || method === "DELETE" ? "" : "{}";
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return readAll(socket);
}

test("every route of the server with a name in its path is listed here", async () => {
  const sources = readdirSync(new URL("../../src/server", import.meta.url), { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  const tails = sources.flatMap((file) => {
    const source = readFileSync(new URL(`../../src/server/${file}`, import.meta.url), "utf8");
    const found = source.matchAll(
      /(?:path: |const one = |^ {2})[`"](?:\$\{\w+\})?(\/[\w/:*.-]*[:*]\w[\w/:*-]*)/gm,
    );
    return [...found].map(([, tail = ""]) => tail);
  });
  expect(tails.length).toBeGreaterThan(10);
  const all = [...routes.map(({ path }) => path), ...unending];
  // A web socket has no route, and an inbox is the start of the paths of others.
  const isListed = (tail: string) =>
    tail.endsWith("/websocket") || all.some((path) => path.endsWith(tail) || path.startsWith(`${tail}/`));
  expect(tails.filter((tail) => !isListed(tail))).toEqual([]);
});

/** Streams, which never end. They resolve names as the other routes do. */
const unending = ["/api/v3/journals/:journal/ids/:id/events/live", "/api/v3/tables/:table/live"];

test("whatever is sent as a name, no file is shown and the server sends its own response", async () => {
  expect(routes.length).toBeGreaterThan(15);
  for (const { method, path } of routes) {
    for (const name of names) {
      const output = await rawAnswer(method, filled(path, name));
      const where = `${method} ${filled(path, name)}`;
      expect(output, where).not.toContain(canary);
      expect(output, where).not.toContain("root:");
      // An internal error would be 500.
      expect(output, where).toMatch(/^HTTP\/1\.1 [234]\d\d /);
    }
  }
});

test("nothing was written beside the store", () => {
  expect(readdirSync(parent).sort()).toEqual(["canary.txt", "data"]);
  expect(readFileSync(join(parent, "canary.txt"), "utf8")).toBe(canary);
  expect(existsSync(join(parent, "..", "canary.txt"))).toBe(false);
});

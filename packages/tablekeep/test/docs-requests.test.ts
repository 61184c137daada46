/** Sends every curl request that a page shows to a server with the data that the pages mention. */
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { checkoutFiles } from "../../../scripts/lib/checkout-files.mjs";
import { startTestServer, type TestServer } from "../src/testing/start-test-server.ts";
import { shellLinesOf, wordsOf } from "./shell-words.ts";

const run = promisify(execFile);
const pages = (await checkoutFiles()).filter(({ path }) => path.endsWith(".md"));
const requests = pages.flatMap(({ path, source }) =>
  shellLinesOf(source)
    .filter((line) => line.startsWith("curl ") && line.includes("127.0.0.1:8025"))
    .map((line) => ({ path, line })),
);

const isCi = (process.env["CI"] ?? "") !== "";
const canAsk = isCi || spawnSync("curl", ["--version"]).status === 0;

let server: TestServer;
beforeAll(async () => {
  const rules = [{ name: "lights", on: "delta", url: "http://127.0.0.1:9/" }] as const;
  server = await startTestServer({ feed: true, shadows: { rules } });
  const table = { name: "orders", partitionKey: { name: "id" } };
  await fetch(`${server.url}api/v3/tables`, { method: "POST", body: JSON.stringify(table) });
  // The rules run once this server has their lease.
  const retry = () => fetch(`${server.url}api/v3/shadow-rules/lights/retry`, { method: "POST" });
  await vi.waitUntil(async () => (await retry()).status === 200, { timeout: 300_000 });
  const transport = createTransport(server.smtpUrl);
  await transport.sendMail({ from: "shop@shop.example", to: "ann@example.org", text: "Hello" });
  transport.close();
});
afterAll(() => server.stop());

test("requests are found", () => {
  expect(requests.length).toBeGreaterThan(3);
});

test.skipIf(!canAsk).each(requests)("$path: $line", async ({ line }) => {
  const [, ...words] = wordsOf(line.replaceAll("http://127.0.0.1:8025/", server.url));
  const { stdout } = await run("curl", ["--silent", "--show-error", "--fail-with-body", ...words]);
  expect(() => JSON.parse(stdout)).not.toThrow();
});

/** Sends every curl request that a page shows to a server with the data that the pages mention. */
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
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
  server = await startTestServer({ feed: true });
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

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { tempFolder } from "../../../test/temp-folder.ts";
import { startServer } from "../start-server.ts";
import { startPageHtml, startPageStyle } from "./start-page.ts";

const facts = {
  version: "1.2.3",
  storage: '/data/<b>&"quoted"',
  listeners: [{ name: "http", url: "http://127.0.0.1:8025/", purpose: "a page" }],
};

test("shows the version, each listener with its address, and the escaped data folder", () => {
  const html = startPageHtml(facts);
  expect(html).toContain("1.2.3");
  expect(html).toContain('<a href="http://127.0.0.1:8025/">http://127.0.0.1:8025/</a>');
  expect(html).toContain("/data/&lt;b&gt;&amp;&quot;quoted&quot;");
  expect(html).not.toContain("<b>");
});

test("shows how to connect to DynamoDB if it is served", () => {
  expect(startPageHtml(facts)).not.toContain("--endpoint-url");
  const dynamodb = { name: "dynamodb", url: "http://127.0.0.1:8000/", purpose: "tables" };
  const html = startPageHtml({ ...facts, listeners: [...facts.listeners, dynamodb] });
  expect(html).toContain("--endpoint-url http://127.0.0.1:8000 ");
});

test("loads nothing: no script, no link, no image, no other host", () => {
  const html = startPageHtml({ ...facts, listeners: [] });
  expect(html).not.toMatch(/<(script|link|img|iframe)|@import|url\(|https?:\/\//);
});

test("its content security policy allows its own style and nothing else", async () => {
  const server = await startServer({
    dataFolder: tempFolder(),
    httpPort: 0,
    dynamodb: false,
    smtp: false,
    mqtt: false,
  });
  const response = await fetch(new URL("/about", server.listeners[0]?.url));
  const style = /<style>([\s\S]*)<\/style>/.exec(await response.text())?.[1] ?? "";
  await server.stop();
  expect(style).toBe(startPageStyle);
  const hash = createHash("sha256").update(style).digest("base64");
  expect(response.headers.get("content-security-policy")).toContain(
    `default-src 'none'; style-src 'sha256-${hash}';`,
  );
});

test("the same facts are available as JSON, under the path of the console", async () => {
  const folder = tempFolder();
  await using server = await startServer({
    dataFolder: folder,
    httpPort: 0,
    dynamodbPort: 0,
    smtp: false,
    mqtt: false,
    webPath: "/tools",
  });
  const response = await fetch(new URL("/tools/api/v3/server", server.listeners[0]?.url));
  expect(await response.json()).toEqual({
    version: server.version,
    storage: server.storage,
    listeners: server.listeners,
  });
  expect(server.storage).toContain(folder);
  // The start page leads people who omit the path to the console.
  const start = await (await fetch(new URL("/", server.listeners[0]?.url))).text();
  const [, console = ""] = /<a href="(\S+\/tools\/)">/.exec(start) ?? [];
  expect(await (await fetch(console)).text()).toContain("assets/console.js");
  const [, health = ""] = /curl (\S+)<\/pre>/.exec(start) ?? [];
  expect((await fetch(health)).status).toBe(200);
  expect(server.listeners.map(({ name }) => name)).toEqual(["http", "dynamodb"]);
});

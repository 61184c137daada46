import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type PictureOptions, pictureOf } from "@tablekeep/mail/matchers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserTestMs, sharedBrowser, skipsBrowser } from "./open-console.ts";

const styles =
  "body{margin:0;background:#fff;color:#000}@media(prefers-color-scheme:dark){body{background:#000;color:#fff}}";
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const mail = (html: string) =>
  `Subject: x\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <p@x>\r\nContent-Transfer-Encoding: base64\r\n\r\n${pixel}\r\n--b--\r\n`;

/** The size in the header of a PNG. */
const sizeOf = (png: Buffer) => ({ width: png.readUInt32BE(16), height: png.readUInt32BE(20) });

describe.skipIf(skipsBrowser)("pictures of a message", { timeout: browserTestMs }, () => {
  let browser: Awaited<ReturnType<typeof sharedBrowser>>;
  let server: Server;
  let requests = 0;
  let connections = 0;
  beforeAll(async () => {
    browser = await sharedBrowser();
    server = createServer((_request, response) => {
      requests++;
      response.end();
    })
      .on("connection", () => connections++)
      .listen(0, "127.0.0.1");
  }, browserTestMs);
  afterAll(() => {
    server?.close();
  });
  const take = async (html: string, options?: PictureOptions) => {
    const page = await browser.newPage();
    try {
      return await pictureOf(page, mail(html), options);
    } finally {
      await page.close();
    }
  };

  test("are the same each time, and differ by scheme and width", async () => {
    const html = `<style>${styles}</style><p>Hello</p><img src="cid:p@x" width="50" height="900">`;
    const light = await take(html);
    expect(await take(html)).toEqual(light);
    expect(sizeOf(light).width).toBe(640);
    expect(sizeOf(light).height).toBeGreaterThan(900);
    const dark = await take(html, { scheme: "dark" });
    expect(sizeOf(dark)).toEqual(sizeOf(light));
    expect(dark).not.toEqual(light);
    expect(sizeOf(await take(html, { width: 375 })).width).toBe(375);
    expect(await take(html.replace("cid:p@x", "cid:none"))).not.toEqual(light);
    expect(await take(html.replace("cid:p@x", "cid:p%40x"))).toEqual(light);
  });

  test("load nothing, run nothing and follow nothing", async () => {
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const quiet = "<p>Hello</p>";
    const hostile = [
      `<img src="${at}a.png" style="display:none">`,
      `<link rel="preconnect" href="${at}"><link rel="stylesheet" href="${at}b.css">`,
      `<meta http-equiv="refresh" content="0;url=${at}c"><base href="${at}">`,
      `<script>fetch("${at}d");document.body.innerHTML="x"</script>`,
      `<svg width="0" height="0" style="position:absolute" onload="document.body.innerHTML='x'"></svg>`,
      `<iframe src="${at}e" hidden></iframe><object data="${at}f" hidden></object>`,
      `<style>@import url(${at}g); @font-face { font-family: x; src: url(${at}h) }</style>`,
    ];
    const expected = await take(quiet);
    for (const each of hostile) expect(await take(`${quiet}${each}`), each).toEqual(expected);
    expect([requests, connections]).toEqual([0, 0]);
  });

  test("leave the page with the routes and the media of the test", async () => {
    const page = await browser.newPage();
    await page.route("**/*", (route) => route.fulfill({ body: "from the test", contentType: "text/html" }));
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce", media: "print" });
    await pictureOf(page, mail("<p>Hello</p>"));
    await page.goto("http://shop.invalid/");
    expect(await page.locator("body").textContent()).toBe("from the test");
    const queries = ["(prefers-color-scheme: dark)", "(prefers-reduced-motion: reduce)", "print"];
    for (const query of queries)
      expect(await page.evaluate(`matchMedia("${query}").matches`), query).toBe(true);
    await page.close();
  });

  test("leave the page with its size, and show text without HTML", async () => {
    const page = await browser.newPage({ viewport: { width: 500, height: 300 } });
    const text = await pictureOf(page, "Subject: x\r\n\r\nHello <b>you</b>\r\n", { width: 200 });
    expect(sizeOf(text).width).toBe(200);
    expect(page.viewportSize()).toEqual({ width: 500, height: 300 });
    expect(await page.locator("pre").textContent()).toContain("Hello <b>you</b>");
    await page.close();
    await expect(pictureOf(page, "x", { width: 5 })).rejects.toThrow(TypeError);
  });
});

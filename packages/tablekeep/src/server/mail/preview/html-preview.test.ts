import { expect, test } from "vitest";
import { htmlPreview, previewPolicy } from "./html-preview.ts";

const image = (contentId: string, type = "image/png", content = "abc") => ({
  index: 0,
  filename: "",
  type,
  inline: true,
  contentId,
  content: Buffer.from(content),
});
const show = (html: string, remote = false, host = "127.0.0.1:8025") =>
  htmlPreview({ html, attachments: [image("a@b"), image("s", "image/svg+xml")] }, { remote, host });

test("images of the message are part of the page, in attributes and styles", async () => {
  const url = "data:image/png;base64,YWJj";
  expect(await show('<img src="cid:a@b"><img src=" CID:a%40b">')).toBe(
    `<img src="${url}"><img src="${url}">`,
  );
  expect(await show("<p style='background:url(cid:a@b)'>")).toBe(
    `<p style="background:url(&quot;${url}&quot;)">`,
  );
  expect(await show("<img src=cid:s><img src=cid:none><img src=data:image/svg+xml,x>")).toBe(
    "<img><img><img>",
  );
  expect(await show("<img src=data:image/gif;base64,R0lG>")).toBe('<img src="data:image/gif;base64,R0lG">');
});

test("omits remote images until they are requested, and images of this server always", async () => {
  const html = "<img src=http://a.example/x><img src=//a.example/y><img src=http://localhost:3000/z>";
  expect(await show(html)).toBe("<img><img><img>");
  expect(await show(html, true)).toBe(
    '<img src="http://a.example/x"><img src="https://a.example/y"><img src="http://localhost:3000/z">',
  );
  for (const own of ["127.0.0.1:8025", "localhost:8025", "x.localhost:8025", "127.1:8025", "[::1]:8025"])
    expect(await show(`<img src="http://${own}/metrics">`, true)).toBe("<img>");
  expect(await show('<img src="https://tools.example/x">', true, "tools.example")).toBe("<img>");
  expect(await show("<img src=/metrics><img src=metrics><img src=file:///x>", true)).toBe("<img><img><img>");
});

test("an image that is shown very often does not make the page very large", async () => {
  const attachments = [image("a", "image/png", "x".repeat(1_000_000))];
  const page = await htmlPreview(
    { html: "<img src=cid:a>".repeat(1_000), attachments },
    { remote: false, host: "127.0.0.1" },
  );
  expect(page.length).toBeLessThan(6_000_000);
});

test("the policy allows images and new tabs, and remote content only on request", () => {
  expect(previewPolicy({ remote: false })).toContain("; img-src data:; ");
  for (const remote of [true, false]) {
    const policy = previewPolicy({ remote });
    expect(policy).not.toMatch(/'self'(?!$)|allow-(?!popups)/);
    expect(policy).toContain("default-src 'none'");
  }
});

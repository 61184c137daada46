import { expect, test } from "vitest";
import { cleanHtml } from "./clean-html.ts";

const clean = (html: string) =>
  cleanHtml(html, { imageUrl: (url) => (url === "ok" ? "data:ok" : undefined) });

test("keeps formatting", async () => {
  for (const html of [
    '<!doctype html><html lang="en"><body bgcolor="#fff"><p class="a">x &amp; y</p></body></html>',
    '<table width="600" cellpadding="0"><tr><td align="center" colspan="2">x</td></tr></table>',
    '<style>p{color:red}</style><p style="margin:0">x</p>',
    '<h1>a</h1><ul><li>b<br></li></ul><font color="red" size="2">c</font><span aria-hidden="true">d</span>',
    '<img src="data:ok" alt="a &quot;b&quot;" width="1"><td background="data:ok">x</td>',
  ])
    expect(await clean(html.replaceAll("data:ok", "ok"))).toBe(html);
});

test("removes everything else, and keeps its readable text", async () => {
  for (const [html, left] of [
    ["<script>alert(1)</script>a", "a"],
    ["<SCRIPT SRC=x></ScRiPt >a", "a"],
    ["<p onclick=alert(1) STYLE=color:red>a", '<p style="color:red">a'],
    ["<form action=x>a<input value=x><button>b</button></form>", "ab"],
    ["<svg><text>a</text><script>x</script><style>b{}</style></svg>c", "a<style>b{}</style>c"],
    ["<title>a</title><textarea>b</textarea><iframe>c</iframe><xmp>d</xmp><noframes>e</noframes>f", "f"],
    ["<noscript>a</noscript><template>b</template><object>c</object><video>d</video>", "abcd"],
    ["<link rel=preconnect href=x><meta http-equiv=refresh content=0><base href=x>a", "a"],
    ["<!-- a --><!-- --!>b<![CDATA[c]]><?d?>e", "be"],
    ["<!DOCTYPE html PUBLIC '\"' '\"'>a", "<!doctype html>a"],
    ["<img src=no srcset='ok 1x' alt=a><img alt='<script>'>", '<img alt="a"><img alt="&lt;script&gt;">'],
    ["<plaintext>a<script>", "a&lt;script&gt;"],
    ["<style>a{}", "<style>a{}</style>"],
    ["<style/><p>", "<style>\\3c p></style>"],
    ["a<", "a&lt;"],
    ["<p title='a\"><script>'>b</p>", '<p title="a&quot;&gt;&lt;script&gt;">b</p>'],
    ["<p class=a class=b>", '<p class="a">'],
    ["&lt;script&gt;&#60;b&#x3e;", "&lt;script&gt;&lt;b&gt;"],
  ] as const)
    expect(await clean(html), html).toBe(left);
});

test("links open in a new tab, and only pages and mail addresses are links", async () => {
  const tab = 'target="_blank" rel="noopener noreferrer"';
  for (const [href, kept] of [
    ["https://a.example/?b=1&amp;c", "https://a.example/?b=1&amp;c"],
    [" HTTP://A.example ", "http://a.example/"],
    ["mailto:a@b.example", "mailto:a@b.example"],
    ["ht\ntps://a.example/", "https://a.example/"],
  ]) {
    expect(await clean(`<a href="${href}" target=_top rel=opener>x</a>`)).toBe(
      `<a href="${kept}" ${tab}>x</a>`,
    );
    expect(await clean(`<area href="${href}" ping=x>`)).toBe(`<area href="${kept}" ${tab}>`);
  }
  for (const href of [
    "javascript:x",
    "java\tscript:x",
    "data:text/html,x",
    "/x",
    "x",
    "#x",
    "//a/x",
    "file:///x",
  ])
    expect(await clean(`<a href="${href}">x</a>`)).toBe("<a>x</a>");
  expect(await clean('<p href="https://a.example">x</p>')).toBe("<p>x</p>");
});

test("cleans messages of any shape without blocking other work", {
  timeout: 600_000,
}, async () => {
  const length = 2 * 1024 * 1024;
  for (const piece of [
    "<b>",
    "<x>",
    "<div></b>",
    "<svg><math>",
    "<p a=",
    "<p x=1 ",
    "<",
    "&lt",
    "<!--",
    "<style>a{",
  ]) {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await clean(piece.repeat(length / piece.length));
    clearInterval(timer);
    expect(turns, piece).toBeGreaterThan(5);
  }
});

test("stops when its caller aborts", async () => {
  const signal = AbortSignal.abort(new Error("gone"));
  const cleaning = cleanHtml("<b>", { imageUrl: () => undefined, signal });
  await expect(cleaning).rejects.toThrow("gone");
});

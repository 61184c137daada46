import { describe, expect, test } from "vitest";
import { linksIn, wordsIn } from "./links-and-codes.ts";

describe("links of a message", () => {
  test.each([
    ["Confirm at https://shop.example/confirm?t=1.", "https://shop.example/confirm?t=1"],
    ["(see https://shop.example/a, or call)", "https://shop.example/a"],
    ["(https://shop.example/a)!", "https://shop.example/a"],
    ["[https://shop.example/a]", "https://shop.example/a"],
    ["https://wiki.example/Cart_(shop)", "https://wiki.example/Cart_(shop)"],
    ["<https://shop.example/a>", "https://shop.example/a"],
    ["HTTPS://SHOP.example/a;", "HTTPS://SHOP.example/a"],
  ])("in the text %s", (text, link) => {
    expect(linksIn({ text, html: "" })).toEqual([link]);
  });

  test.each([
    [`<a href='https://shop.example/a?b=1&amp;c=2'>go</a>`, "https://shop.example/a?b=1&c=2"],
    [`<A class="x > y" HREF = https://shop.example/a>go</A>`, "https://shop.example/a"],
    [`<a title="href=https://other.example/" href="https://shop.example/a">go</a>`, "https://shop.example/a"],
    [`<link rel="stylesheet" href="https://fonts.example/css"><a href="https://shop.example/a">go</a>`],
    [`<!-- <a href="https://old.example/">old</a> --><a href=" https://shop.example/a ">go</a>`],
    [`<a href="mailto:a@b.example">mail</a><a href="#top">top</a><a href="https://shop.example/a">go</a>`],
    [`1 < 2 <a href="https://shop.example/a">go</a><a href="https://shop.example/a">again</a>`],
  ])("in the HTML %s", (html, link = "https://shop.example/a") => {
    expect(linksIn({ text: "", html })).toEqual([link]);
  });

  test("are those of the text before those of the HTML", () => {
    const html = `<a href="https://shop.example/2">go</a><a href="https://shop.example/1">go</a>`;
    expect(linksIn({ text: "https://shop.example/1", html })).toEqual([
      "https://shop.example/1",
      "https://shop.example/2",
    ]);
  });
});

describe("words of a message", () => {
  const code = (html: string) => /\b\d{6}\b/.exec(wordsIn({ text: "", html }))?.[0];

  test.each([
    `<style>body { color: #333333 }</style><p>Your code is <b>483920</b></p>`,
    `<!-- build 111111 --><p style="color: #222222">Your code is 483920</p>`,
    `<p>Fewer than 5 < 9: your code is 483920</p>`,
    `<p>Your code is &#52;83920</p>`,
    `<p>Order at https://shop.example/111111 with 483920</p>`,
  ])("are what readers see of %s", (html) => {
    expect(code(html)).toBe("483920");
  });
});

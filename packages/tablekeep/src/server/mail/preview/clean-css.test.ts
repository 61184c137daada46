import { expect, test } from "vitest";
import { cleanCss } from "./clean-css.ts";

const own = (url: string) => (url.startsWith("ok:") ? url.replace("ok:", "data:image/png,") : undefined);
const clean = (css: string) => cleanCss(css, own);

test("keeps formatting unchanged", () => {
  for (const css of [
    "color:red;font:12px/1.5 'Open Sans', sans-serif",
    '@media (max-width:600px){.a > b::before{content:"\\201C (";width:calc(100% - 2px)}}',
    "a:not([href^='x']){--gap: 1px;margin:var(--gap)}",
    "p{background:image-set(linear-gradient(red,blue) 1x type('image/png'))}",
  ])
    expect(clean(css)).toBe(css);
});

test("loads images from the URLs that the caller returns, in every notation", () => {
  const kept = 'url("data:image/png,1")';
  for (const url of ["url(ok:1)", "url( 'ok:1' )", 'URL("ok:1")', "u\\72l(ok:1)", "url(ok:\\31)"])
    expect(
      clean(`a{background:${url} no-repeat}`).replaceAll(/url\( |(?<=") (?=\))/gi, (text) => text.trim()),
    ).toMatch(/^a\{background:(url|URL|u\\72l)\("data:image\/png,1"\) no-repeat\}$/);
  expect(clean("a{background:url(ok:1)}")).toBe(`a{background:${kept}}`);
});

test("conditions on the preferred colors hold for those that the reader chooses", () => {
  const css =
    "@media screen and (Prefers-Color-Scheme: dark){a{color:red}}@media not (prefers-color-scheme:light){b{x:y}}";
  expect(cleanCss(css, own)).toBe(css);
  expect(cleanCss(css, own, "dark")).toBe(
    "@media screen and (min-width: 0px){a{color:red}}@media not (min-width:1000000px){b{x:y}}",
  );
  expect(cleanCss(css, own, "light")).toBe(
    "@media screen and (min-width: 1000000px){a{color:red}}@media not (min-width:0px){b{x:y}}",
  );
  for (const other of [
    "@media (prefers-color-scheme) and (color){a{b:c}}",
    ".prefers-color-scheme{color:dark}",
  ])
    expect(cleanCss(other, own, "dark").replace("min-width", "prefers-color-scheme")).toBe(other);
});

test("loads nothing else", () => {
  for (const css of [
    "@import 'http://away'; @import url(http://away) screen;",
    "@\\69mport url(http://away)",
    "@IMPORT/**/'http://away'",
    "@namespace url(http://away);@charset 'http://away';",
    "a{background:url(http://away)}",
    "a{background:url(//away)}",
    "a{background:url('http://away'), url(http://away#(\\))}",
    "a{background:\\75\\72\\6c(http://away)}",
    "a{background:image-set('http://away' 1x, url(http://away) 2x)}",
    "a{background:-webkit-image-set(url(http://away) 1x)}",
    "a{background:src('http://away')}",
    "a{background:image('http://away')}",
    "a{cursor:url(http://away) 1 1, auto}",
    "@font-face{src:url(http://away) format('woff')}",
    "a{background:url(http://away",
    "a{background:url('http://away",
    "a{background:url(http://away 'x')}",
    "<!-- @import 'http://away'; -->",
  ])
    expect(clean(css)).not.toContain("away");
});

test("removing a rule removes nothing else", () => {
  expect(clean("@import 'x';a{color:red}")).toBe("a{color:red}");
  expect(clean("@import x{a{color:red}}b{c:d}")).toBe("{a{color:red}}b{c:d}");
});

test("a style element cannot be ended from inside", () => {
  for (const css of ["</style><script>", "a{content:'</style>'}", "/* </style> */", "a{--x:</style}", "<!--"])
    expect(clean(css)).not.toContain("<");
});

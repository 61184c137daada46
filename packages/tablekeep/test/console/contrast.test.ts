import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const sheet = readFileSync(new URL("../../console/style/base.css", import.meta.url), "utf8");
const colors = new Map(
  [...sheet.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(
    ([, name = "", light = "", dark = ""]) => [name, { light, dark }],
  ),
);

/** How bright a color is, as WCAG 2 has it. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [darker = 0, brighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (brighter + 0.05) / (darker + 0.05);
}

const backgrounds = ["page", "card", "soft", "accent-soft"];
const pairs = [
  ...["ink", "dim", "accent"].flatMap((text) => backgrounds.map((back) => [text, back, 4.5] as const)),
  ...["bad", "warn", "good"].flatMap((text) => ["page", "card"].map((back) => [text, back, 4.5] as const)),
  ["bad", "bad-soft", 4.5],
  ["warn", "warn-soft", 4.5],
  ["good", "accent-soft", 4.5],
  ["on-accent", "accent", 4.5],
  ["edge", "card", 3],
  ["edge", "page", 3],
] as const;

test.each(pairs)("%s is readable on %s in both themes", (text, back, least) => {
  for (const theme of ["light", "dark"] as const) {
    const [front, ground] = [colors.get(text)?.[theme], colors.get(back)?.[theme]];
    expect(contrast(front ?? "", ground ?? "")).toBeGreaterThanOrEqual(least);
  }
});

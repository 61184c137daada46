import type { AttributeValue } from "@tablekeep/core";

const tokens = /[:#]?\w+|<=|>=|<>|\s+|./gu;

/** Placeholders of plain values: some operands must be numbers, others lists. */
export const plainOperands: Readonly<Record<string, AttributeValue>> = {
  ":plain": { N: "1" },
  ":list": { L: [] },
};

/** What may stand in place of any condition, any path and any operand. */
const plainParts = ["attribute_exists(c)", "c", ...Object.keys(plainOperands)];

/** The expression without one run of its parts, or with something plain in place of it. Brackets stay in pairs. */
export function* shorterExpressions(expression: string): Generator<string> {
  const parts = expression.match(tokens) ?? [];
  for (let start = 0; start < parts.length; start++) {
    if (parts[start]?.trim() === "") continue;
    for (const end of endsOfRuns(parts, start)) {
      const [before, after] = [parts.slice(0, start).join(""), parts.slice(end).join("")];
      for (const between of ["", ...plainParts]) {
        const shorter = `${before}${between}${after}`.trim();
        if (shorter !== "" && shorter !== expression) yield shorter;
      }
    }
  }
}

/** Where runs that begin here can end. */
function* endsOfRuns(parts: readonly string[], start: number): Generator<number> {
  let depth = 0;
  for (let at = start; at < parts.length && depth >= 0; at++) {
    const part = parts[at] ?? "";
    if (part === "(" || part === "[") depth++;
    if (part === ")" || part === "]") depth--;
    if (depth === 0 && part.trim() !== "") yield at + 1;
  }
}

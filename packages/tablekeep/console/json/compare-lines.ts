import { isObject, sameJson } from "./exact-json.ts";

/** How a value compares with its counterpart: the same, different, or without one. */
export type Match = "same" | "other" | "alone";

/** One line of a document beside its counterpart. */
export interface ComparedLine {
  /** undefined for lines that only open or close an object or a list. */
  readonly match: Match | undefined;
  readonly text: string;
}

/** A document printed line by line, each value compared with the same path of `counterpart`. */
export function compareLines(document: unknown, counterpart: unknown): readonly ComparedLine[] {
  return linesOf(document, counterpart, { indent: "", label: "", tail: "" });
}

interface Frame {
  readonly indent: string;
  readonly label: string;
  readonly tail: string;
}

function linesOf(value: unknown, counterpart: unknown, { indent, label, tail }: Frame): ComparedLine[] {
  if (
    isObject(value) &&
    Object.keys(value).length > 0 &&
    (isObject(counterpart) || counterpart === undefined)
  ) {
    const entries = Object.entries(value);
    const members = entries.flatMap(([key, member], at) => {
      const other = isObject(counterpart) && Object.hasOwn(counterpart, key) ? counterpart[key] : undefined;
      const frame = {
        indent: `${indent}  `,
        label: `${JSON.stringify(key)}: `,
        tail: at < entries.length - 1 ? "," : "",
      };
      return linesOf(member, other, frame);
    });
    return [
      { match: undefined, text: `${indent}${label}{` },
      ...members,
      { match: undefined, text: `${indent}}${tail}` },
    ];
  }
  const match = counterpart === undefined ? "alone" : sameJson(value, counterpart) ? "same" : "other";
  return `${label}${JSON.stringify(value, undefined, 2)}${tail}`
    .split("\n")
    .map((line) => ({ match, text: `${indent}${line}` }));
}

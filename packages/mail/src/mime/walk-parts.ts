import { type Fields, fieldOf, headerFields, type ParameterValue, parameterValue } from "./header-fields.ts";

/** A part that holds no others. */
export interface LeafPart {
  readonly fields: Fields;
  readonly type: ParameterValue;
  /** Transfer encoding still on it. */
  readonly body: string;
}

/** Limits of a message. */
export const partLimits = { depth: 50, parts: 1000 } as const;

/** The parts of a message, and whether there were more, or deeper ones, than allowed. */
export interface WalkedParts {
  readonly parts: readonly LeafPart[];
  readonly cut: boolean;
}

/** Walks the parts of a message, given as a byte text, in order, and stops at the first that exceeds the limits. */
export function walkParts(data: string): WalkedParts {
  const parts: LeafPart[] = [];
  let cut = false;
  const walk = (text: string, depth: number): void => {
    if (parts.length >= partLimits.parts || depth > partLimits.depth) {
      cut = true;
      return;
    }
    const fields = headerFields(text);
    const type = parameterValue(fieldOf(fields, "content-type"));
    const boundary = type.parameters.get("boundary") ?? "";
    if (!type.value.startsWith("multipart/") || boundary === "") {
      parts.push({ fields, type, body: fields.body });
      return;
    }
    for (const part of splitAtBoundary(fields.body, boundary)) {
      walk(part, depth + 1);
      if (cut) return;
    }
  };
  walk(data, 0);
  return { parts, cut };
}

/** The parts between the lines `--boundary`, up to `--boundary--`; an unterminated last part counts. */
function* splitAtBoundary(body: string, boundary: string): Generator<string> {
  const line = `--${boundary}`;
  let start: number | undefined;
  for (let at = body.indexOf(line); at >= 0; at = body.indexOf(line, at + line.length)) {
    if (at > 0 && body[at - 1] !== "\n") continue;
    const closing = body.startsWith("--", at + line.length);
    const lineEnd = body.indexOf("\n", at + line.length);
    const after = body.slice(at + line.length, lineEnd < 0 ? undefined : lineEnd).trim();
    if (!closing && after !== "") continue;
    if (start !== undefined)
      yield body.slice(start, body[at - 2] === "\r" ? at - 2 : Math.max(start, at - 1));
    if (closing || lineEnd < 0) return;
    start = lineEnd + 1;
  }
  if (start !== undefined) yield body.slice(start);
}

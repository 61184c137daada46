import { asPlainText, contentType, isMessageType } from "./content-type.ts";
import { type Fields, fieldOf, headerFields, type ParameterValue, parameterValue } from "./header-fields.ts";

/** A part without subparts. */
export interface LeafPart {
  readonly fields: Fields;
  readonly type: ParameterValue;
  /** Still transfer-encoded. */
  readonly body: string;
}

/** Limits of a message. */
export const partLimits = { depth: 50, parts: 1000 } as const;

/** The parts of a message. */
export interface WalkedParts {
  /** The header of the message itself. */
  readonly top: Fields;
  /** The headers of embedded messages. Their parts are among `parts`. */
  readonly embedded: readonly Fields[];
  readonly parts: readonly LeafPart[];
  /** Whether the message has more or deeper parts than allowed. */
  readonly cut: boolean;
}

/** Reads the parts of a message, given as a byte text, in order. Stops at the first part that exceeds the limits. */
export function walkParts(data: string): WalkedParts {
  const parts: LeafPart[] = [];
  const embedded: Fields[] = [];
  let cut = false;
  const enter = (fields: Fields, depth: number, container: string): void => {
    if (parts.length >= partLimits.parts || depth > partLimits.depth) cut = true;
    else walk(fields, depth, container);
  };
  const walk = (fields: Fields, depth: number, container: string): void => {
    const type = contentType(fields, container);
    const boundary = type.parameters.get("boundary") ?? "";
    if (isEmbeddedMessage(fields, type, container)) {
      const message = headerFields(fields.body);
      embedded.push(message);
      enter(message, depth + 1, "");
    } else if (!type.value.startsWith("multipart/")) {
      parts.push({ fields, type, body: fields.body });
    } else {
      let isDivided = false;
      for (const part of boundary === "" ? [] : splitAtBoundary(fields.body, boundary)) {
        isDivided = true;
        enter(headerFields(part), depth + 1, type.value);
        if (cut) return;
      }
      if (!isDivided) parts.push({ fields, type: asPlainText(type), body: fields.body });
    }
  };
  const top = headerFields(data);
  walk(top, 0, "");
  return { top, embedded, parts, cut };
}

/** Whether a part is a message that is shown as text: not attached, not encoded, and not the subject of a report. */
function isEmbeddedMessage(fields: Fields, { value }: ParameterValue, container: string): boolean {
  if (!isMessageType(value) || container === "multipart/report") return false;
  if (/base64|quoted-printable/i.test(fieldOf(fields, "content-transfer-encoding"))) return false;
  return parameterValue(fieldOf(fields, "content-disposition")).value !== "attachment";
}

/** Yields the parts between the lines `--boundary`, up to `--boundary--`, an unterminated last part included. */
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

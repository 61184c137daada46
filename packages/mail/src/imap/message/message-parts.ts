import {
  type Fields,
  fieldOf,
  headerFields,
  type ParameterValue,
  parameterValue,
} from "../../mime/header-fields.ts";

/** A part of a message by its place in the bytes. */
export interface MessagePart {
  /** Where its header starts, where its body starts, and where it ends. */
  readonly start: number;
  readonly bodyAt: number;
  readonly end: number;
  readonly fields: Fields;
  readonly type: ParameterValue;
  /** The parts of a multipart. */
  readonly parts: readonly MessagePart[];
  /** The message in a part of the type message/rfc822. */
  readonly message: MessagePart | undefined;
}

/** Deeper parts are not taken apart, and neither are further ones. */
const limits = { depth: 20, parts: 1_000 };

/** Takes a message apart, given as a byte text. */
export function readMessageParts(data: string): MessagePart {
  let count = 0;
  const read = (start: number, end: number, depth: number, container: string): MessagePart => {
    count++;
    const fields = headerFields(data.slice(start, end));
    const bodyAt = start + fields.bodyAt;
    const given = parameterValue(fieldOf(fields, "content-type"));
    const type = given.value === "" ? { ...given, value: defaultType(container) } : given;
    const opens = depth < limits.depth && count < limits.parts;
    const boundary = type.parameters.get("boundary") ?? "";
    const parts: MessagePart[] = [];
    if (opens && type.value.startsWith("multipart/") && boundary !== "")
      for (const [from, to] of boundaryRanges(data, { from: bodyAt, to: end }, boundary)) {
        if (count >= limits.parts) break;
        parts.push(read(from, to, depth + 1, type.value));
      }
    const isMessage = opens && type.value === "message/rfc822" && !isEncoded(fields);
    const message = isMessage ? read(bodyAt, end, depth + 1, "") : undefined;
    return { start, bodyAt, end, fields, type, parts, message };
  };
  return read(0, data.length, 0, "");
}

function defaultType(container: string): string {
  return container === "multipart/digest" ? "message/rfc822" : "text/plain";
}

function isEncoded(fields: Fields): boolean {
  return /base64|quoted-printable/i.test(fieldOf(fields, "content-transfer-encoding"));
}

/** The ranges between the lines `--boundary`, up to `--boundary--`, an unterminated last part included. */
function* boundaryRanges(
  data: string,
  range: { readonly from: number; readonly to: number },
  boundary: string,
): Generator<readonly [from: number, to: number]> {
  const line = `--${boundary}`;
  let start: number | undefined;
  for (
    let at = data.indexOf(line, range.from);
    at >= 0 && at < range.to;
    at = data.indexOf(line, at + line.length)
  ) {
    if (at > range.from && data[at - 1] !== "\n") continue;
    const closes = data.startsWith("--", at + line.length);
    const lineEnd = data.indexOf("\n", at + line.length);
    const rest = data.slice(
      at + line.length,
      Math.min(lineEnd < 0 ? range.to : lineEnd, at + line.length + 1_000),
    );
    if (!closes && rest.trim() !== "") continue;
    if (start !== undefined) yield [start, Math.max(start, data[at - 2] === "\r" ? at - 2 : at - 1)];
    if (closes || lineEnd < 0 || lineEnd >= range.to) return;
    start = lineEnd + 1;
  }
  if (start !== undefined) yield [start, range.to];
}

/** The part with these numbers, as in `BODY[1.2]`; undefined if there is none. */
export function partAt(root: MessagePart, numbers: readonly number[]): MessagePart | undefined {
  let part: MessagePart | undefined = root;
  for (const [depth, number] of numbers.entries()) {
    const inside: MessagePart = part.message !== undefined && depth > 0 ? part.message : part;
    if (inside.type.value.startsWith("multipart/") && inside.parts.length > 0)
      part = inside.parts[number - 1];
    else part = number === 1 && (depth === 0 || inside !== part) ? inside : undefined;
    if (part === undefined) return undefined;
  }
  return part;
}

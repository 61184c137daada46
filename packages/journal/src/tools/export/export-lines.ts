import { exportInvalid } from "../copy/copy-refusals.ts";
import type { ExportLine } from "./export-line.ts";

/** Longer lines nobody exports: an item has 400 KB. */
const maxLineBytes = 16 * 1024 * 1024;

/** A line of an export with its number, from 1, and the bytes up to its end. */
export interface NumberedLine {
  readonly line: ExportLine;
  readonly number: number;
  readonly bytesSoFar: number;
}

/** Cuts text or bytes into lines and parses them. A last line without its line break is left out: it was cut short. */
export async function* exportLines(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): AsyncGenerator<NumberedLine, void, undefined> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let number = 0;
  let bytesSoFar = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : asBuffer(chunk);
    let from = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      const whole = Buffer.concat([...rest, bytes.subarray(from, at)]);
      rest = [];
      restBytes = 0;
      from = at + 1;
      number++;
      bytesSoFar += whole.length + 1;
      if (whole.length > 0) yield { line: parsed(whole, number), number, bytesSoFar };
    }
    // A copy: whoever gives the chunks may use their memory again.
    if (from < bytes.length) rest.push(Buffer.from(bytes.subarray(from)));
    restBytes += bytes.length - from;
    if (restBytes > maxLineBytes) throw exportInvalid(number + 1, "is longer than any event");
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function parsed(bytes: Buffer, number: number): ExportLine {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw exportInvalid(number, "is not JSON");
  }
  if (typeof value !== "object" || value === null) throw exportInvalid(number, "is no JSON object");
  return value as ExportLine;
}

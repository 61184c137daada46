import type { InputBuffer } from "./input-lines.ts";

/** The part of a message that one read returns. */
export interface DataPart {
  /** Without dot-stuffing; may be empty. */
  readonly content: Uint8Array;
  /** Whether the message ended. */
  readonly ended: boolean;
}

/** Reads the content of one message. */
export interface DataReader {
  /** Reads as much as possible. Leaves bytes in the input that may be the start of the end marker. */
  read(input: InputBuffer): DataPart;
  /** The number of dots after a bare LF, which other servers may treat as the end. */
  readonly dotsAfterBareLf: number;
  /** Bytes of the longest line so far. Measures only the first and the last line of each piece of input. */
  readonly longestLine: number;
}

const dot = 0x2e;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** Creates a reader. Only CR LF dot CR LF ends a message; a dot at the start of any other line is removed. */
export function dataReader(): DataReader {
  let atLineStart = true;
  let dotsAfterBareLf = 0;
  let longestLine = 0;
  let unfinishedLine = 0;

  const measure = (part: Uint8Array): void => {
    const firstEnd = part.indexOf(lineFeed);
    longestLine = Math.max(longestLine, unfinishedLine + (firstEnd === -1 ? part.length : firstEnd));
    unfinishedLine =
      firstEnd === -1 ? unfinishedLine + part.length : part.length - part.lastIndexOf(lineFeed) - 1;
  };

  const read = (input: InputBuffer): DataPart => {
    const { bytes } = input;
    const content = contentOf(bytes);
    let at = 0;
    while (at < bytes.length) {
      if (atLineStart) {
        const start = lineStart(bytes, at);
        if (start === "undecided") break;
        if (start === "end") {
          input.consume(at + 3);
          return { content: content.take(), ended: true };
        }
        if (start === "stuffed") at++;
        atLineStart = false;
        continue;
      }
      const found = bytes.indexOf("\n.", at, "latin1");
      if (found === -1) {
        // The end marker may start with this CR and continue in the next piece.
        const end = bytes[bytes.length - 1] === carriageReturn ? bytes.length - 1 : bytes.length;
        content.add(at, end);
        atLineStart = endsWithCrLf(bytes, end, at);
        at = end;
        break;
      }
      atLineStart = found > 0 && bytes[found - 1] === carriageReturn;
      if (!atLineStart) dotsAfterBareLf++;
      content.add(at, found + 1);
      at = found + 1;
    }
    input.consume(at);
    const part = content.take();
    measure(part);
    return { content: part, ended: false };
  };

  return {
    read,
    get dotsAfterBareLf() {
      return dotsAfterBareLf;
    },
    get longestLine() {
      return longestLine;
    },
  };
}

function lineStart(bytes: Buffer, at: number): "end" | "stuffed" | "plain" | "undecided" {
  if (bytes[at] !== dot) return "plain";
  const [second, third] = [bytes[at + 1], bytes[at + 2]];
  if (second === undefined || (second === carriageReturn && third === undefined)) return "undecided";
  return second === carriageReturn && third === lineFeed ? "end" : "stuffed";
}

function endsWithCrLf(bytes: Buffer, end: number, from: number): boolean {
  return end - 2 >= from && bytes[end - 1] === lineFeed && bytes[end - 2] === carriageReturn;
}

/** Collects ranges of `bytes`. Nothing is copied as long as there is one range. */
function contentOf(bytes: Buffer) {
  let first: Buffer | undefined;
  let copy: Buffer | undefined;
  let length = 0;
  return {
    add(from: number, to: number): void {
      if (from === to) return;
      if (first === undefined) {
        first = bytes.subarray(from, to);
        length = first.length;
        return;
      }
      if (copy === undefined) {
        copy = Buffer.allocUnsafe(bytes.length);
        first.copy(copy, 0);
      }
      length += bytes.copy(copy, length, from, to);
    },
    take: (): Uint8Array => copy?.subarray(0, length) ?? first ?? new Uint8Array(0),
  };
}

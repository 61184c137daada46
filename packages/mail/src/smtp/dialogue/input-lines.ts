import type { SmtpSteps } from "./smtp-step.ts";

const empty = Buffer.alloc(0);

/** Received bytes that are not processed yet. */
export interface InputBuffer {
  readonly bytes: Buffer;
  feed(bytes: Uint8Array): void;
  /** Removes the first `count` bytes. */
  consume(count: number): void;
  clear(): void;
}

export function inputBuffer(): InputBuffer {
  let bytes: Buffer = empty;
  return {
    get bytes() {
      return bytes;
    },
    feed(more) {
      const chunk = Buffer.from(more.buffer, more.byteOffset, more.byteLength);
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    },
    consume(count) {
      bytes = count >= bytes.length ? empty : bytes.subarray(count);
    },
    clear() {
      bytes = empty;
    },
  };
}

/** A command line, or why the line is invalid. */
export type InputLine =
  | { readonly kind: "line"; readonly bytes: Buffer }
  | { readonly kind: "too-long" }
  /** The line ended with LF alone. Accepting it would allow commands that another server does not see. */
  | { readonly kind: "bare-lf" };

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Reads one line of at most `limit` bytes. Never buffers more than that. */
export function* readLine(input: InputBuffer, limit: number): SmtpSteps<InputLine> {
  let searched = 0;
  let tooLong = false;
  while (true) {
    const { bytes } = input;
    const end = bytes.indexOf(lineFeed, searched);
    if (end === -1) {
      searched = bytes.length;
      if (searched > limit) {
        tooLong = true;
        input.clear();
        searched = 0;
      }
      yield { kind: "more" };
      continue;
    }
    input.consume(end + 1);
    if (tooLong || end >= limit) return { kind: "too-long" };
    if (end === 0 || bytes[end - 1] !== carriageReturn) return { kind: "bare-lf" };
    return { kind: "line", bytes: bytes.subarray(0, end - 1) };
  }
}

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { type Clock, optionCheck, systemClock } from "@tablekeep/core";
import type { PostalMimeOptions } from "postal-mime";
import { byteText } from "../mime/byte-text.ts";
import { windows1252 } from "../mime/decode-bytes.ts";
import { headerFields, maxHeaderBytes } from "../mime/header-fields.ts";
import { partLimits } from "../mime/walk-parts.ts";
import { checkOptions, MailError } from "../model/mail-error.ts";
import { copyInTurns, messageThread } from "../thread/message-thread.ts";
import { decodeWorkerSource } from "./decode-worker.ts";

/** Options of a decoder. */
export interface DecoderOptions {
  /** Milliseconds to decode one message. @default 2,000 */
  readonly timeoutMs?: number;
  /** Heap of the thread in MB. @default 256 */
  readonly memoryMb?: number;
  /** Maximum bytes of a message. @default 52,428,800 */
  readonly maxBytes?: number;
  readonly clock?: Clock;
}

/** Decodes messages in a separate thread, one after the other. */
export interface Decoder {
  /**
   * Returns the decoded message. Rejects with `MAIL_DECODE_REFUSED` if it is larger, deeper or slower than allowed:
   * only the raw bytes are available then.
   *
   * @example
   * const { subject, text } = await decoder.decode(message.raw);
   */
  decode(raw: Uint8Array, options?: { readonly signal?: AbortSignal }): Promise<DecodedMessage>;
  /** Ends the thread. */
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);
/** The compiled file, even where packages are run from source: Node 20 cannot run TypeScript. */
function charsetsUrl(): string {
  const { href } = pathToFileURL(require.resolve("@tablekeep/mail/mime"));
  return new URL("legacy-charsets.js", href.replace("/src/mime/", "/dist/mime/")).href;
}

const parserOptions: PostalMimeOptions = {
  maxNestingDepth: partLimits.depth,
  maxHeadersSize: maxHeaderBytes,
};

/**
 * Opens a decoder. The thread starts with the first message, and again after a message that had to be stopped.
 *
 * @example
 * const decoder = openDecoder();
 * const { text, attachments } = await decoder.decode(message.raw);
 * await decoder.close();
 */
export function openDecoder(options: DecoderOptions = {}): Decoder {
  checkOptions(options, {
    timeoutMs: optionCheck.milliseconds,
    memoryMb: optionCheck.integer(32),
    maxBytes: optionCheck.integer(1),
    clock: optionCheck.clock,
  });
  const { timeoutMs = 2000, memoryMb = 256, maxBytes = 52_428_800, clock = systemClock } = options;
  const thread = messageThread<DecodedMessage>({
    name: "decoder",
    program: decodeWorkerSource,
    workerData: {
      parser: require.resolve("postal-mime"),
      options: parserOptions,
      maxParts: partLimits.parts,
      windows1252,
      charsets: charsetsUrl(),
    },
    timeoutMs,
    memoryMb,
    maxBytes,
    clock,
    refused: undecodable,
  });
  return {
    async decode(raw, { signal } = {}) {
      if (signal !== undefined) checkOptions({ signal }, { signal: optionCheck.signal });
      return thread.run(raw, async () => ({ raw: await copyInTurns(withBlankLine(raw)) }), signal);
    },
    close: thread.close,
  };
}

function undecodable(reason: string): MailError<"MAIL_DECODE_REFUSED"> {
  return new MailError("MAIL_DECODE_REFUSED", `the message cannot be decoded: ${reason}`, { reason });
}

/** The parts of a message in which an empty line separates header and body: the parser treats text without one as a header. */
function withBlankLine(raw: Uint8Array): readonly Uint8Array[] {
  const { fields, bodyAt, separated } = headerFields(byteText(raw.subarray(0, maxHeaderBytes)));
  const isKnown = raw.length <= maxHeaderBytes || fields.length === 0;
  if (separated || !isKnown) return [raw];
  return [raw.subarray(0, bodyAt), Uint8Array.of(13, 10), raw.subarray(bodyAt)];
}

/** A decoded address. */
export interface DecodedAddress {
  readonly name: string;
  readonly address: string;
}

/** A part other than the text and HTML of a message. */
export interface DecodedAttachment {
  /** Position among the attachments, from 0. */
  readonly index: number;
  /** Chosen by the sender: never use it as a path. "" if there is none. */
  readonly filename: string;
  /** In lower case; "application/octet-stream" if the part has none. */
  readonly type: string;
  /** Whether the text or HTML refers to it, as to an image. */
  readonly inline: boolean;
  /** Without brackets; "" if it has none. */
  readonly contentId: string;
  readonly content: Uint8Array;
}

/** A message with transfer encodings and charsets decoded. */
export interface DecodedMessage {
  readonly subject: string;
  readonly from: readonly DecodedAddress[];
  readonly to: readonly DecodedAddress[];
  readonly cc: readonly DecodedAddress[];
  readonly replyTo: readonly DecodedAddress[];
  /** As sent; "" if there is none. */
  readonly date: string;
  /** In order, duplicates kept; names as sent. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** "" if there is none. */
  readonly text: string;
  /** As sent; "" if there is none. Untrusted: show it only in a sandbox. */
  readonly html: string;
  readonly attachments: readonly DecodedAttachment[];
}

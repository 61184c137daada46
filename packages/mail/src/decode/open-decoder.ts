import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { type Clock, optionCheck, systemClock } from "@tablekeep/core";
import type { PostalMimeOptions } from "postal-mime";
import { byteText } from "../mime/byte-text.ts";
import { windows1252 } from "../mime/decode-text.ts";
import { headerFields, maxHeaderBytes } from "../mime/header-fields.ts";
import { partLimits } from "../mime/walk-parts.ts";
import { checkOptions, MailError } from "../model/mail-error.ts";
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
const parserOptions: PostalMimeOptions = {
  maxNestingDepth: partLimits.depth,
  maxHeadersSize: maxHeaderBytes,
};

type Answer =
  | { readonly message: DecodedMessage; readonly reason?: never }
  | { readonly reason: string; readonly message?: never };

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
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;
  const stop = async () => {
    const stopping = worker;
    worker = undefined;
    await stopping?.terminate();
  };
  const checkOpen = () => {
    if (closed) throw new MailError("MAIL_CLOSED", "this decoder was closed: open another", {});
  };
  const run = async (raw: Uint8Array, signal: AbortSignal | undefined): Promise<DecodedMessage> => {
    checkOpen();
    signal?.throwIfAborted();
    worker ??= startWorker(memoryMb);
    const answer = await answerOf(worker, raw, { clock, timeoutMs, signal }).catch(async (error: unknown) => {
      await stop();
      // The thread may have ended because of `close`.
      checkOpen();
      throw error;
    });
    if (answer.message === undefined) throw undecodable(answer.reason);
    return answer.message;
  };
  return {
    async decode(raw, { signal } = {}) {
      if (signal !== undefined) checkOptions({ signal }, { signal: optionCheck.signal });
      if (raw.length > maxBytes) throw undecodable(`it is larger than ${maxBytes} bytes`);
      const mine = last.then(() => run(raw, signal));
      last = mine.catch(() => undefined);
      return signal === undefined ? mine : untilAborted(mine, signal);
    },
    async close() {
      closed = true;
      await stop();
    },
  };
}

/** Waits for `work`, or rejects when the signal is aborted. Does not stop the work. */
export function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function undecodable(reason: string): MailError<"MAIL_DECODE_REFUSED"> {
  return new MailError("MAIL_DECODE_REFUSED", `the message cannot be decoded: ${reason}`, { reason });
}

function startWorker(memoryMb: number): Worker {
  const worker = new Worker(decodeWorkerSource, {
    eval: true,
    workerData: {
      parser: require.resolve("postal-mime"),
      options: parserOptions,
      maxParts: partLimits.parts,
      windows1252,
    },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
    // No access to the environment and the output of this process.
    env: {},
    stdout: true,
    stderr: true,
  });
  worker.unref();
  return worker;
}

/** Returns the thread's answer. Rejects if the thread ends, the time is over or the signal is aborted. */
function answerOf(
  worker: Worker,
  raw: Uint8Array,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      cancel();
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      signal?.removeEventListener("abort", onAbort);
      worker.unref();
      settle();
    };
    const onMessage = (answer: Answer) => finish(() => resolve(answer));
    const onError = (error: Error) => finish(() => reject(undecodable(error.message)));
    const onExit = () => finish(() => reject(undecodable("the thread ended")));
    const onAbort = () => finish(() => reject(signal?.reason));
    const cancel = clock.after(timeoutMs, () =>
      finish(() => reject(undecodable(`it takes longer than ${timeoutMs} ms`))),
    );
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    signal?.addEventListener("abort", onAbort, { once: true });
    worker.ref();
    const copy = withBlankLine(raw);
    worker.postMessage({ raw: copy }, [copy.buffer]);
  });
}

/** A copy of a message in which an empty line separates header and body: the parser treats text without one as a header. */
function withBlankLine(raw: Uint8Array): Uint8Array<ArrayBuffer> {
  const { fields, bodyAt, separated } = headerFields(byteText(raw.subarray(0, maxHeaderBytes)));
  const isKnown = raw.length <= maxHeaderBytes || fields.length === 0;
  if (separated || !isKnown) return new Uint8Array(raw);
  const copy = new Uint8Array(raw.length + 2);
  copy.set(raw.subarray(0, bodyAt));
  copy.set([13, 10], bodyAt);
  copy.set(raw.subarray(bodyAt), bodyAt + 2);
  return copy;
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

import { Worker } from "node:worker_threads";
import type { Clock } from "@tablekeep/core";
import { pacer } from "../model/background-work.ts";
import { MailError } from "../model/mail-error.ts";

/** Messages that may wait for the thread. Further ones are refused. */
const maxWaiting = 100;

/** Milliseconds until a thread has loaded its program, which a busy machine delays. They do not count for its first message. */
const startMs = 30_000;

/** What a thread runs, and its limits. */
export interface MessageThreadOptions {
  /** What the thread is called in errors. */
  readonly name: string;
  /**
   * The program, which sends `"ready"` once it has loaded everything, and answers each request with `{ result }` or `{ reason }`. It is a string because Node 20 cannot run TypeScript
   * in a thread, and the program must work from source and from the build.
   */
  readonly program: string;
  readonly workerData: unknown;
  /** Milliseconds for one message. */
  readonly timeoutMs: number;
  /** Heap of the thread in MB. */
  readonly memoryMb: number;
  /** Maximum bytes of a message. */
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Creates the error for a message that exceeds a limit. */
  refused(reason: string): MailError;
}

/** A request to the program, with a copy of the message that is moved to the thread. */
export interface ThreadRequest {
  readonly raw: Uint8Array<ArrayBuffer>;
  readonly options?: object;
}

type RequestMaker = () => Promise<ThreadRequest>;

/** Works on messages in a separate thread, one after the other. */
export interface MessageThread<Result> {
  /** Returns the program's result for a message. `request` creates the request once it is this message's turn. */
  run(raw: Uint8Array, request: RequestMaker, signal: AbortSignal | undefined): Promise<Result>;
  /** Ends the thread. */
  close(): Promise<void>;
}

type Answer<Result> =
  | { readonly result: Result; readonly reason?: never }
  | { readonly reason: string; readonly result?: never };

/** Creates a thread. It starts with the first message, and again after a message that had to be stopped. */
export function messageThread<Result>(options: MessageThreadOptions): MessageThread<Result> {
  const { name, maxBytes, refused } = options;
  let worker: Worker | undefined;
  /** Threads that have loaded their program. */
  const ready = new WeakSet<Worker>();
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let closed = false;
  const stop = async () => {
    const stopping = worker;
    worker = undefined;
    await stopping?.terminate();
  };
  const checkOpen = () => {
    if (closed) throw new MailError("MAIL_CLOSED", `this ${name} is closed: open another one`, {});
  };
  const work = async (request: RequestMaker, signal: AbortSignal | undefined): Promise<Result> => {
    checkOpen();
    signal?.throwIfAborted();
    const made = await request();
    checkOpen();
    signal?.throwIfAborted();
    worker ??= startWorker(options);
    const answer = await answerOf<Result>(worker, made, { ...options, ready }, signal).catch(
      async (error: unknown) => {
        await stop();
        // The thread may have ended because of `close`.
        checkOpen();
        throw error;
      },
    );
    if (answer.reason !== undefined) throw refused(answer.reason);
    return answer.result;
  };
  return {
    async run(raw, request, signal) {
      if (raw.length > maxBytes) throw refused(`it is larger than ${maxBytes} bytes`);
      if (waiting >= maxWaiting) throw refused(`${maxWaiting} other messages are waiting`);
      waiting++;
      const mine = last.then(() => work(request, signal));
      last = mine.then(
        () => void waiting--,
        () => void waiting--,
      );
      return signal === undefined ? mine : untilAborted(mine, signal);
    },
    async close() {
      closed = true;
      await stop();
    },
  };
}

/** Copies a message into a buffer that can be moved to a thread: a large one in several turns of the event loop. */
export async function copyInTurns(parts: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  const pace = pacer();
  let end = 0;
  for (const part of parts)
    for (let from = 0; from < part.length; from += bytesPerCopy) {
      const piece = part.subarray(from, from + bytesPerCopy);
      copy.set(piece, end);
      end += piece.length;
      const turn = pace(piece.length);
      if (turn !== undefined) await turn;
    }
  return copy;
}

const bytesPerCopy = 1_048_576;

/** Waits for `work`, or rejects when the signal is aborted. Does not stop the work. */
export function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function startWorker({ program, workerData, memoryMb }: MessageThreadOptions): Worker {
  const worker = new Worker(program, {
    eval: true,
    workerData,
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
function answerOf<Result>(
  worker: Worker,
  request: ThreadRequest,
  { clock, timeoutMs, refused, ready }: MessageThreadOptions & { readonly ready: WeakSet<Worker> },
  signal: AbortSignal | undefined,
): Promise<Answer<Result>> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      cancel();
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      signal?.removeEventListener("abort", onAbort);
      worker.unref();
      settle();
    };
    const onMessage = (answer: Answer<Result> | "ready") => {
      if (answer === "ready") onReady();
      else finish(() => resolve(answer));
    };
    const onError = (error: Error) => finish(() => reject(refused(error.message)));
    const onExit = () => finish(() => reject(refused("the thread ended")));
    const onAbort = () => finish(() => reject(signal?.reason));
    const limit = (ms: number, what: string) =>
      clock.after(ms, () => finish(() => reject(refused(`${what} takes longer than ${ms} ms`))));
    let cancel = ready.has(worker) ? limit(timeoutMs, "it") : limit(startMs, "the start of its thread");
    const onReady = () => {
      ready.add(worker);
      cancel();
      cancel = limit(timeoutMs, "it");
    };
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    signal?.addEventListener("abort", onAbort, { once: true });
    worker.ref();
    worker.postMessage(request, [request.raw.buffer]);
  });
}

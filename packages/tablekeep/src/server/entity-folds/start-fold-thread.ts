import { Worker } from "node:worker_threads";
import {
  type Clock,
  type DynamoPort,
  dispatchTo,
  isOperationName,
  type Logger,
  mayWrite,
  type RetryLimits,
} from "@tablekeep/core";
import { packageFolder } from "../../package/package-info.ts";
import { type FoldProblem, ServerError } from "../server-error.ts";
import {
  detached,
  errorOf,
  errorParts,
  type FoldedState,
  type FoldRequest,
  type FromThread,
  type LentRetries,
  type PortCall,
  type ThreadAnswer,
  type ToThread,
} from "./fold-messages.ts";

/** The program of the thread, which the build bundles. */
const program = new URL("dist/thread/fold-thread.js", packageFolder);

/** Milliseconds until the module must be loaded. */
const loadMs = 60_000;
/** Milliseconds for one state. */
const foldMs = 20_000;
/** Heap of the thread in MB. */
const memoryMb = 512;
/** Calls of the thread's port at once: more than any journal makes. */
const maxCalls = 100;
/** Tokens of the port's retry budget for one state: ten retries after a response, or fewer if the budget is nearly used up. */
const lentTokens = [50, 25, 10, 5];
/** Characters of one output of the definitions that are logged. */
const loggedCharacters = 1_000;

export interface FoldThreadOptions {
  /** The URL of the module that exports the definitions. */
  readonly module: string;
  /** Read from, and never written to. */
  readonly port: DynamoPort;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A thread that has loaded the definitions. It does one thing at a time. */
export interface FoldThread {
  readonly types: readonly string[];
  readonly isEnded: boolean;
  /**
   * Rebuilds a state; undefined if no definition has the persistence id. Aborting `signal` ends its reads. A state that takes too long
   * ends the thread.
   */
  fold(request: FoldRequest, signal: AbortSignal): Promise<FoldedState | undefined>;
  end(): Promise<void>;
}

interface Waiting {
  readonly signal: AbortSignal;
  settle(answer: ThreadAnswer | Error): void;
}

/** Starts a thread and waits until it has loaded the definitions. Throws if it cannot. */
export async function startFoldThread(options: FoldThreadOptions): Promise<FoldThread> {
  const { module, port, clock, logger } = options;
  const worker = new Worker(program, {
    workerData: { module },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    stdout: true,
    stderr: true,
  });
  worker.unref();
  for (const output of [worker.stdout, worker.stderr])
    output.on("data", (data: Buffer) =>
      logger.info("output of the entities", { text: String(data).slice(0, loggedCharacters) }),
    );
  let waiting: Waiting | undefined;
  let ended: Error | undefined;
  const end = (error: Error) => {
    ended ??= error;
    waiting?.settle(error);
  };
  worker.on("error", (error: Error) => end(stopped("ended", error.message)));
  worker.on("exit", () => end(stopped("ended", "the thread ended")));
  const calls = portCalls(port, (answer) => worker.postMessage(answer));
  worker.on("message", (message: FromThread) => {
    if (message.kind === "call") calls(message, waiting?.signal ?? AbortSignal.abort());
    else waiting?.settle(message);
  });
  const answer = (limitMs: number, signal: AbortSignal): Promise<ThreadAnswer> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(ended);
      const cancel = clock.after(limitMs, () => {
        end(stopped("too-slow", `it took longer than ${limitMs / 1000} s`));
        void worker.terminate();
      });
      waiting = {
        signal,
        settle(result) {
          cancel();
          waiting = undefined;
          if (result instanceof Error) reject(result);
          else resolve(result);
        },
      };
    });
  const loaded = await answer(loadMs, AbortSignal.abort()).catch(invalid);
  if (loaded.kind !== "ready") {
    await worker.terminate();
    throw new ServerError("SERVER_ENTITIES_INVALID", `entities in ${module}: ${reasonIn(loaded)}`, {
      path: module,
      reason: reasonIn(loaded),
    });
  }
  return {
    types: loaded.types,
    get isEnded() {
      return ended !== undefined;
    },
    async fold(request, signal) {
      const settled = answer(foldMs, signal);
      const retries = lendRetries(port.retryLimits);
      worker.postMessage({ kind: "fold", request, retries } satisfies ToThread);
      // A thread that ends reports nothing. Other calls must not retry less because of that.
      let left = retries?.tokens ?? 0;
      try {
        const result = await settled;
        if ("tokensLeft" in result) left = result.tokensLeft;
        if (result.kind === "failed") throw errorOf(result.error);
        return result.kind === "folded" ? result.folded : undefined;
      } finally {
        port.retryLimits?.refund(left);
      }
    },
    async end() {
      await worker.terminate();
    },
  };
}

function invalid(error: Error): ThreadAnswer {
  return { kind: "invalid", reason: error.message };
}

function reasonIn(answer: ThreadAnswer): string {
  return answer.kind === "invalid" ? answer.reason : "the thread did not start";
}

function stopped(problem: FoldProblem, reason: string): ServerError {
  return new ServerError("SERVER_FOLD_STOPPED", `the state could not be rebuilt: ${reason}`, {
    problem,
    reason,
  });
}

/** Takes tokens out of a budget for the thread, which cannot reach it: as many as are left, up to a limit. */
function lendRetries(limits: RetryLimits | undefined): LentRetries | undefined {
  if (limits === undefined) return undefined;
  const tokens = lentTokens.find((each) => limits.spend(each)) ?? 0;
  return { maxAttempts: limits.maxAttempts, tokens };
}

/** Answers the calls of the thread's port. Only reads are performed. */
function portCalls(
  port: DynamoPort,
  send: (answer: ToThread) => void,
): (call: PortCall, signal: AbortSignal) => void {
  const dispatch = dispatchTo(port);
  let inFlight = 0;
  const perform = async ({ operation, input, deadlineMs, maxAttempts }: PortCall, signal: AbortSignal) => {
    if (!isOperationName(operation) || mayWrite(operation, input))
      throw stopped("writes", "it writes to the tables");
    if (inFlight >= maxCalls)
      throw stopped("too-many-requests", `it makes more than ${maxCalls} requests at once`);
    inFlight++;
    try {
      return await dispatch(operation, input as never, { signal, deadlineMs, maxAttempts });
    } finally {
      inFlight--;
    }
  };
  return (message, signal) => {
    const { call } = message;
    perform(message, signal).then(
      (output) => send({ kind: "output", call, output: detached(output) }),
      (error: unknown) => send({ kind: "error", call, error: errorParts(error) }),
    );
  };
}

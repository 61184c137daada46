import { isAmbiguous, linkSignals, systemClock } from "@tablekeep/core";
import { CliError } from "../frame/cli-error.ts";
import { failureJson } from "../frame/failures.ts";
import { folderOf, isServed, whenUnlocked } from "./served-folder.ts";
import type { Tool, ToolArguments, ToolCall } from "./tool.ts";

/** The response to a call: JSON in one text. */
export interface ToolAnswer {
  readonly [key: string]: unknown;
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly isError?: true;
}

const defaultTimeoutMs = 30_000;

/** The maximum number of calls that wait for a folder. */
const maxWaiting = 32;

/**
 * Runs the calls of one process. A folder that no server has open is opened for each call and closed after it, so that a server can
 * start at any time; such calls take turns. Calls to a served folder, an endpoint or AWS run at the same time.
 */
export class ToolCalls {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Performs a call within its time, and answers with its result or its error. Never rejects. */
  async run(tool: Tool, args: ToolArguments, call: ToolCall): Promise<ToolAnswer> {
    const { io } = call;
    const timeoutMs = tool.timeoutMs ?? defaultTimeoutMs;
    const timeout = new AbortController();
    const cancel = systemClock.after(timeoutMs, () => timeout.abort());
    const ended = linkSignals(io.signal, timeout.signal);
    const { signal } = ended;
    const limited = { ...call, io: { ...io, signal } };
    try {
      signal.throwIfAborted();
      return answer(await this.#inTurn(limited, () => tool.run(args, limited)));
    } catch (error) {
      return failure(
        timeout.signal.aborted && !isAmbiguous(error) ? timedOut(tool, timeoutMs, error) : error,
      );
    } finally {
      cancel();
      ended.release();
    }
  }

  async #inTurn<Result>(call: ToolCall, work: () => Promise<Result>): Promise<Result> {
    const folder = await folderOf(call);
    if (folder === undefined) return work();
    // A server that is stopping has the folder open, and no longer serves it.
    if (await isServed(folder)) return whenUnlocked(work, call.io.signal);
    if (this.#waiting >= maxWaiting)
      throw new CliError("CLI_MCP_BUSY", `${maxWaiting} calls are waiting for the folder: call again later`);
    this.#waiting++;
    const { signal } = call.io;
    const turn = this.#last.then(() => {
      this.#waiting--;
      signal.throwIfAborted();
      return whenUnlocked(work, signal);
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

function timedOut({ name }: Tool, ms: number, cause: unknown): CliError {
  return new CliError(
    "CLI_MCP_TIMEOUT",
    `${name} did not finish within ${ms / 1000} seconds: ask for less, for example with a lower limit`,
    cause,
  );
}

/** The outcome of a write that may have been applied is more important than the deadline that ended it. */
function answer(result: object): ToolAnswer {
  const text = JSON.stringify(result, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  return { content: [{ type: "text", text }] };
}

function failure(error: unknown): ToolAnswer {
  return { ...answer({ error: failureJson(error) }), isError: true };
}

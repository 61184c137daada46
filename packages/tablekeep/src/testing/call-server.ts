import { systemClock, withDeadline } from "@tablekeep/core";
import { ServerError } from "../server/server-error.ts";

/** A request to a server of a test. */
export interface ServerCall {
  /** @default "GET" */
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** @default none */
  readonly body?: string;
  /** @default none */
  readonly token?: string;
  /** Milliseconds until the response has begun. The limit of a test is shorter, except on a busy machine. @default 60,000 */
  readonly deadlineMs?: number;
  /** Ends the request. @default none */
  readonly signal?: AbortSignal;
  /** A status that is not an error. @default none */
  readonly allow?: number;
}

const defaultDeadlineMs = 60_000;

/**
 * Sends a request to a server of a test. Throws `SERVER_CALL_FAILED` unless it succeeds, and the reason of `signal` if that aborts.
 */
export async function callServer(url: URL, call: ServerCall = {}): Promise<Response> {
  const { method = "GET", body, token, deadlineMs: ms = defaultDeadlineMs, signal, allow } = call;
  const ending = new AbortController();
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const either = signal === undefined ? ending.signal : AbortSignal.any([ending.signal, signal]);
  const failed = (reason: string, details: { readonly status?: number }, cause?: unknown) =>
    new ServerError(
      "SERVER_CALL_FAILED",
      `${method} ${url} failed: ${reason}`,
      { url: url.href, reason, ...details },
      cause,
    );
  const timedOut = () => {
    const error = failed(`the server did not answer within ${ms} ms`, {});
    ending.abort(error);
    return error;
  };
  const request = async () => {
    try {
      return await fetch(url, { method, body, headers, signal: either });
    } catch (error) {
      if (either.aborted) throw error;
      throw failed(`${systemReason(error)}; start the server, or correct its address`, {}, error);
    }
  };
  const answer = await withDeadline(request, { clock: systemClock, ms, signal, timedOut });
  if (answer.ok || answer.status === allow) return answer;
  const { status } = answer;
  throw failed(`the server returned status ${status}: ${await answer.text()}`, { status });
}

/** `fetch` reports only "fetch failed": its cause has the reason. */
function systemReason(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown; readonly message?: unknown } };
  return String(cause?.message || cause?.code || error);
}

/** Parses the address of a server. Throws `SERVER_OPTION_INVALID` if it is not one of HTTP. */
export function serverAddress(url: string): URL {
  if (URL.canParse(url) && /^https?:/i.test(url)) return new URL(url);
  const reason = `must be a URL such as http://127.0.0.1:8025/, got ${JSON.stringify(url)}`;
  throw new ServerError("SERVER_OPTION_INVALID", `option url ${reason}`, { option: "url", reason });
}

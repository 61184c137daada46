import { systemClock, withDeadline } from "@tablekeep/core";

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

/** Sends a request to a server of a test. Throws unless it succeeds. */
export async function callServer(url: URL, call: ServerCall = {}): Promise<Response> {
  const { method = "GET", body, token, deadlineMs: ms = defaultDeadlineMs, signal, allow } = call;
  const ending = new AbortController();
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const either = signal === undefined ? ending.signal : AbortSignal.any([ending.signal, signal]);
  const timedOut = () => {
    const error = new Error(`the server at ${url.host} did not answer within ${ms} ms`);
    ending.abort(error);
    return error;
  };
  const request = () => fetch(url, { method, body, headers, signal: either });
  const answer = await withDeadline(request, { clock: systemClock, ms, signal, timedOut });
  if (answer.ok || answer.status === allow) return answer;
  throw new Error(`the server returned status ${answer.status}: ${await answer.text()}`);
}

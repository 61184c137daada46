import { connection } from "../shell/connection.ts";

/**
 * The address of something that the server has besides the console, such as `/api/v3/mail/count` or `/about`: under the
 * path that this page was served from.
 */
export function servedPath(path: string): string {
  return location.pathname.replace(/\/[^/]*$/, "") + path;
}

/** An error response of the server. */
export class ApiError extends Error {
  readonly status: number;
  /** @default "" if the server sends none */
  readonly code: string;

  constructor(status: number, message: string, code = "") {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }
}

export interface ApiCall {
  /** @default GET */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. @default nothing */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. @default nothing */
  readonly text?: string;
  /** Sent in addition to the usual headers. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parses the response. @default JSON.parse */
  readonly parse?: (text: string) => unknown;
  /** Whether the request may change something: without a response, it is unknown whether it did. @default unless `method` is GET */
  readonly writes?: boolean;
  readonly signal?: AbortSignal;
}

/** The deadline of a response, in milliseconds. */
const deadlineMs = 60_000;

/** Requests JSON from the server's API, such as `/api/v3/mail/count`. Rejects with an {@link ApiError} on an error response. */
export async function callApi<Answer>(path: string, call: ApiCall = {}): Promise<Answer> {
  const { response, text } = await send(path, call);
  const answer: unknown = isJson(response) ? (call.parse ?? JSON.parse)(text) : text;
  if (response.ok) return answer as Answer;
  const { error = text || response.statusText, code } = (
    typeof answer === "object" && answer !== null ? answer : {}
  ) as { error?: string; code?: string };
  throw new ApiError(response.status, error, code);
}

async function send(
  path: string,
  { method = "GET", body, text, headers, writes = method !== "GET", signal }: ApiCall,
): Promise<{ readonly response: Response; readonly text: string }> {
  const timeout = AbortSignal.timeout(deadlineMs);
  try {
    const response = await fetch(servedPath(path), {
      method,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(text !== undefined && { body: text }),
    });
    if (connection.get() === "offline") connection.set("quiet");
    return { response, text: await response.text() };
  } catch (error) {
    if (signal?.aborted) throw error;
    if (!timeout.aborted) connection.set("offline");
    const reason = timeout.aborted
      ? `the server did not respond within ${deadlineMs / 1_000} seconds`
      : "the server cannot be reached";
    throw new ApiError(0, writes ? `${reason}, so it is unknown whether the change was made` : reason);
  }
}

function isJson(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("application/json") ?? false;
}

const retryMs = 3_000;

/** While the server cannot be reached, sends a small request from time to time: a screen without a live stream would stay offline. */
export function retryConnection(): void {
  const retry = async () => {
    if (connection.get() !== "offline") return;
    // A success changes the state.
    if (!document.hidden) await callApi("/api/v3/server").catch(() => undefined);
    if (connection.get() === "offline") setTimeout(() => void retry(), retryMs);
  };
  connection.watch((state) => {
    if (state === "offline") setTimeout(() => void retry(), retryMs);
  });
}

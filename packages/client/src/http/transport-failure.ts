import { type CallStage, ClientError } from "../base/client-error.ts";

/** Failures of undici that mean: the response is not HTTP, or not complete. */
const corruptCodes: ReadonlySet<string> = new Set([
  "UND_ERR_HEADERS_OVERFLOW",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_RES_EXCEEDED_MAX_SIZE",
]);

/** Returns the error for a failed connection. `sent`: the request had been handed to it. */
export function transportFailure(cause: Error, endpoint: string, sent: boolean): ClientError {
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  if (code === "UND_ERR_INVALID_ARG" && !sent) return unsendable(cause);
  if (!sent) {
    const reason = proxyResponse(cause) ?? (code || cause.message);
    const message = `cannot connect to ${endpoint} (${reason}): check endpoint, region, proxy and network`;
    return new ClientError("CLIENT_UNREACHABLE", message, { endpoint, attempts: 1, reason }, { cause });
  }
  if (corruptCodes.has(code) || cause.name === "HTTPParserError")
    return corrupt(endpoint, cause.message, cause);
  return new ClientError(
    "CLIENT_CONNECTION_LOST",
    `connection to ${endpoint} closed before the response was complete (${code || cause.message}): check the network, and read the item before you repeat a write`,
    { endpoint, attempts: 1 },
    { cause, ambiguous: true },
  );
}

/** undici reports the status of a proxy that rejects a tunnel only in the message of an aborted request. */
function proxyResponse({ message }: Error): string | undefined {
  const [, status] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
  return status === undefined ? undefined : `the proxy responded with status ${status}`;
}

/** Only the credentials can put wrong characters into a header. */
function unsendable(cause: Error): ClientError {
  const reason = "contain characters that are not allowed in an HTTP header";
  return new ClientError(
    "CLIENT_OPTION_INVALID",
    `credentials ${reason}: check accessKeyId and sessionToken`,
    { option: "credentials", reason },
    { cause },
  );
}

/** Creates the error for a response that is not DynamoDB's. */
export function corrupt(endpoint: string, reason: string, cause?: unknown): ClientError {
  return new ClientError(
    "CLIENT_RESPONSE_CORRUPT",
    `unexpected response from ${endpoint}: ${reason} (check proxies and load balancers)`,
    { endpoint, attempts: 1, reason },
    { cause, ambiguous: true },
  );
}

/** Creates the error for a connection without a byte for `limitMs` after the request was sent. */
export function silent({ endpoint }: { readonly endpoint: string }, limitMs: number): ClientError {
  return new ClientError(
    "CLIENT_CONNECTION_LOST",
    `${endpoint} sent nothing for ${limitMs} ms (socketTimeoutMs), and the connection was closed: raise socketTimeoutMs, and read the item before you repeat a write`,
    { endpoint, attempts: 1 },
    { ambiguous: true },
  );
}

export function connectTimedOut(settings: {
  readonly endpoint: string;
  readonly connectTimeoutMs: number;
}): ClientError {
  return new ClientError(
    "CLIENT_UNREACHABLE",
    `no connection to ${settings.endpoint} within ${settings.connectTimeoutMs} ms (connectTimeoutMs): check endpoint, region, proxy and network`,
    { endpoint: settings.endpoint, attempts: 1, reason: "ETIMEDOUT" },
  );
}

/** Creates the error for a request that would exceed the queue for a connection. */
export function queueFull(endpoint: string, waiting: number): ClientError {
  return new ClientError(
    "CLIENT_BUSY",
    `${waiting} requests are waiting for a connection to ${endpoint}: send fewer at once, or raise maxConnections or maxWaiting`,
    { endpoint, waiting, attempts: 1 },
  );
}

const whereCut: Readonly<Record<CallStage, string>> = {
  waiting: "while waiting for a free connection: raise maxConnections or deadlineMs",
  credentials: "while fetching credentials: check their source, or raise deadlineMs",
  connecting: "while connecting: check endpoint, region, proxy and network, or raise deadlineMs",
  sent: "while waiting for the response: raise deadlineMs, and read the item before you repeat a write",
};

/** Creates the error for a call whose deadline has passed at this stage. */
export function cutByDeadline(deadlineMs: number, stage: CallStage): ClientError {
  return new ClientError(
    "CLIENT_DEADLINE_EXCEEDED",
    `deadline of ${deadlineMs} ms exceeded ${whereCut[stage]}`,
    { deadlineMs, attempts: 1, stage },
    { ambiguous: stage === "sent" },
  );
}

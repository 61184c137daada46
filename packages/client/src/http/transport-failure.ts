import { errors } from "undici";
import { ClientError } from "../base/client-error.ts";

/** Failures of undici that mean: what came back is not HTTP, or not the whole of it. */
const corruptCodes: ReadonlySet<string> = new Set([
  "UND_ERR_HEADERS_OVERFLOW",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_RES_EXCEEDED_MAX_SIZE",
]);

/** What a failure of the connection means for the request, which had been `sent` or not. */
export function transportFailure(cause: Error, endpoint: string, sent: boolean): ClientError {
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  if (code === "UND_ERR_INVALID_ARG" && !sent) return unsendable(cause);
  if (!sent) {
    const message = `cannot connect to ${endpoint} (${code || cause.message}): check endpoint, region, proxy and network`;
    return new ClientError("CLIENT_UNREACHABLE", message, { endpoint, attempts: 1 }, { cause });
  }
  if (corruptCodes.has(code) || cause instanceof errors.HTTPParserError)
    return corrupt(endpoint, cause.message, cause);
  return new ClientError(
    "CLIENT_CONNECTION_LOST",
    `the connection to ${endpoint} ended before the answer was complete (${code || cause.message})`,
    { endpoint, attempts: 1 },
    { cause, ambiguous: true },
  );
}

/** All other headers are ours and fit. */
function unsendable(cause: Error): ClientError {
  const reason = "hold characters that cannot be sent in an HTTP header";
  return new ClientError(
    "CLIENT_OPTION_INVALID",
    `the credentials ${reason}: check them`,
    { option: "credentials", reason },
    { cause },
  );
}

/** Something came back, and it is not an answer of DynamoDB. */
export function corrupt(endpoint: string, reason: string, cause?: unknown): ClientError {
  return new ClientError(
    "CLIENT_RESPONSE_CORRUPT",
    `what ${endpoint} sent back is not an answer of DynamoDB: ${reason}`,
    { endpoint, attempts: 1, reason },
    { cause, ambiguous: true },
  );
}

/** No byte came for `limitMs` after the request was sent. */
export function silent({ endpoint }: { readonly endpoint: string }, limitMs: number): ClientError {
  return new ClientError(
    "CLIENT_CONNECTION_LOST",
    `${endpoint} sent nothing for ${limitMs} ms (socketTimeoutMs); the connection is given up`,
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
    { endpoint: settings.endpoint, attempts: 1 },
  );
}

const whereCut: Record<string, string> = {
  waiting: "while waiting for a free connection: raise maxConnections or deadlineMs",
  connecting: "while connecting",
  sent: "while waiting for the answer",
};

/** The call's time is up. */
export function cutByDeadline(deadlineMs: number, stage: string): ClientError {
  return new ClientError(
    "CLIENT_DEADLINE_EXCEEDED",
    `not done within its deadline of ${deadlineMs} ms, ended ${whereCut[stage] ?? stage}`,
    { deadlineMs, attempts: 1 },
    { ambiguous: stage === "sent" },
  );
}

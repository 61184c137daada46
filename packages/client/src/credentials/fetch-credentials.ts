import { type Clock, isTablekeepError, withDeadline } from "@tablekeep/core";
import { ClientError } from "../client-error.ts";
import { faultOf } from "./check-credentials.ts";
import type { Credentials } from "./credentials.ts";

/** A provider that has not answered after this many milliseconds is given up, so that a later call can ask again. */
const fetchLimitMs = 30_000;

/** What `load` gives, if that is credentials and comes in time. Errors carry nothing that may be secret. */
export async function fetchCredentials(
  clock: Clock,
  name: string,
  load: () => Promise<Credentials>,
): Promise<Credentials> {
  try {
    const fresh = await withDeadline(load, {
      clock,
      ms: fetchLimitMs,
      timedOut: () => failed(name, `did not respond within ${fetchLimitMs} ms`),
    });
    const fault = faultOf(fresh);
    if (fault !== undefined) throw failed(name, `gave no usable credentials: ${fault.field} ${fault.reason}`);
    return fresh;
  } catch (error) {
    throw isTablekeepError(error) ? error : failed(name, `failed (${nameOf(error)})`, withoutQuote(error));
  }
}

function failed(provider: string, what: string, cause?: unknown): ClientError<"CLIENT_CREDENTIALS_FAILED"> {
  const message = `no AWS credentials: ${provider} ${what}; check its settings and that it can be reached`;
  return new ClientError("CLIENT_CREDENTIALS_FAILED", message, { provider }, { cause });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** `JSON.parse` quotes the text that it could not read, and that text may hold the secret. */
function withoutQuote(error: unknown): unknown {
  return error instanceof SyntaxError ? new Error("the provider's answer is not JSON") : error;
}

import { type Clock, isTablekeepError, type Logger } from "@tablekeep/core";
import { ClientError } from "../client-error.ts";
import { abortedBy } from "../retry/deadline.ts";
import { faultOf } from "./check-credentials.ts";
import type { CredentialProvider, CredentialSource, Credentials } from "./credentials.ts";

/** Credentials are renewed once they have this long left, in milliseconds: AWS has new ones ready by then. */
const refreshWindowMs = 5 * 60_000;

/** A provider that has not answered after this many milliseconds is given up, so that a later call can ask again. */
const fetchLimitMs = 30_000;

/** How long to leave a provider alone after it gave nothing new: doubles from the first to the second, milliseconds. */
const pauseMs = { first: 1_000, longest: 60_000 };

interface RefreshingOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Keeps the credentials of `provider` fresh. Any number of concurrent calls share one fetch. While the old ones are still
 * valid calls go on with them, and a failed renewal is only logged and tried again later.
 */
export function refreshingSource(
  name: string,
  provider: CredentialProvider,
  { clock, logger }: RefreshingOptions,
): CredentialSource {
  let current: Credentials | undefined;
  let flight: Promise<Credentials> | undefined;
  let idleRounds = 0;
  let quietUntil = 0;
  let sameAgainUntil = 0;

  const leftMs = (held: Credentials) =>
    held.expiration ? held.expiration.getTime() - clock.now() : Number.POSITIVE_INFINITY;

  const pause = (): number => {
    quietUntil = clock.monotonic() + Math.min(pauseMs.longest, pauseMs.first * 2 ** idleRounds++);
    return quietUntil;
  };

  const fetch = async (): Promise<Credentials> => {
    const held = current;
    try {
      const fresh = await fetchWithin(clock, name, () => provider({ forceRefresh: held !== undefined }));
      current = fresh;
      if (held !== undefined && sameKeys(held, fresh)) sameAgainUntil = pause();
      else if (leftMs(fresh) <= refreshWindowMs) pause();
      else idleRounds = 0;
      return fresh;
    } catch (error) {
      pause();
      throw error;
    } finally {
      flight = undefined;
    }
  };

  const renewInBackground = (): void => {
    if (flight !== undefined || clock.monotonic() < quietUntil) return;
    flight = fetch();
    flight.catch((error: unknown) => {
      logger.warn("credentials could not be renewed; the old ones are still valid", {
        provider: name,
        code: isTablekeepError(error) ? error.code : undefined,
      });
    });
  };

  const shared = (signal: AbortSignal | undefined): Promise<Credentials> => {
    flight ??= fetch();
    return signal === undefined ? flight : unlessAborted(flight, signal);
  };

  return {
    async get(signal) {
      if (current === undefined) return shared(signal);
      const left = leftMs(current);
      if (left <= 0) return shared(signal);
      if (left <= refreshWindowMs) renewInBackground();
      return current;
    },
    async refresh(stale, signal) {
      if (current !== undefined && !sameKeys(current, stale)) return current;
      // The provider has just given these same keys again: asking it once per refused call would be a storm.
      if (current !== undefined && clock.monotonic() < sameAgainUntil) return current;
      return shared(signal);
    },
  };
}

function sameKeys(one: Credentials, other: Credentials): boolean {
  return (
    one.accessKeyId === other.accessKeyId &&
    one.secretAccessKey === other.secretAccessKey &&
    one.sessionToken === other.sessionToken
  );
}

async function fetchWithin(
  clock: Clock,
  name: string,
  load: () => Promise<Credentials>,
): Promise<Credentials> {
  let cancel: (() => void) | undefined;
  const limit = new Promise<never>((_, reject) => {
    cancel = clock.after(fetchLimitMs, () => reject(failed(name, `gave no answer in ${fetchLimitMs} ms`)));
  });
  try {
    const fresh = await Promise.race([load(), limit]);
    const fault = faultOf(fresh);
    if (fault !== undefined) throw failed(name, `gave no usable credentials: ${fault.field} ${fault.reason}`);
    return fresh;
  } catch (error) {
    throw isTablekeepError(error) ? error : failed(name, `failed (${nameOf(error)})`, withoutQuote(error));
  } finally {
    cancel?.();
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

function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortedBy(signal));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

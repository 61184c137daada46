import { type Clock, isTablekeepError, type Logger, withDeadline } from "@tablekeep/core";
import { ClientError } from "../base/client-error.ts";
import { abortedBy } from "../retry/deadline.ts";
import { type CredentialProvider, type CredentialSource, type Credentials, faultOf } from "./credentials.ts";

/** Credentials are renewed once they have this long left, in milliseconds: AWS has new ones ready by then. */
const refreshWindowMs = 5 * 60_000;

interface RefreshingOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Keeps the credentials of `provider` fresh. Any number of concurrent calls share one fetch. While the old ones are still
 * valid, calls use them, and a failed renewal is only logged and retried later.
 */
export function refreshingSource(
  name: string,
  provider: CredentialProvider,
  { clock, logger }: RefreshingOptions,
): CredentialSource {
  let current: Credentials | undefined;
  let flight: Promise<Credentials> | undefined;
  let returnedSameKeys = false;
  const pause = growingPause(clock);

  const renew = async (): Promise<Credentials> => {
    const held = current;
    returnedSameKeys = false;
    try {
      const fresh = await fetchCredentials(clock, name, () => provider({ forceRefresh: held !== undefined }));
      current = fresh;
      returnedSameKeys = held !== undefined && sameKeys(held, fresh);
      if (returnedSameKeys || leftMs(fresh, clock) <= refreshWindowMs) pause.start();
      else pause.reset();
      return fresh;
    } catch (error) {
      pause.start();
      throw error;
    } finally {
      flight = undefined;
    }
  };

  const renewInBackground = (): void => {
    if (flight !== undefined || pause.isRunning()) return;
    flight = renew();
    flight.catch((error: unknown) => {
      logger.warn("could not renew the credentials; the current ones are still valid", {
        provider: name,
        code: isTablekeepError(error) ? error.code : undefined,
      });
    });
  };

  const shared = (signal: AbortSignal | undefined): Promise<Credentials> => {
    const join = () => (flight ??= renew());
    return signal === undefined
      ? join()
      : withDeadline(join, { clock, signal, aborted: (by) => abortedBy(by) });
  };

  return {
    async get(signal) {
      if (current === undefined) return shared(signal);
      const left = leftMs(current, clock);
      if (left <= 0) return shared(signal);
      if (left <= refreshWindowMs) renewInBackground();
      return current;
    },
    async refresh(stale, signal) {
      if (current !== undefined && !sameKeys(current, stale)) return current;
      // The provider has just returned the same keys: calling it once per rejected call would overload it.
      if (current !== undefined && returnedSameKeys && pause.isRunning()) return current;
      return shared(signal);
    },
  };
}

function leftMs({ expiration }: Credentials, clock: Clock): number {
  return expiration === undefined ? Number.POSITIVE_INFINITY : expiration.getTime() - clock.now();
}

function sameKeys(one: Credentials, other: Credentials): boolean {
  return (
    one.accessKeyId === other.accessKeyId &&
    one.secretAccessKey === other.secretAccessKey &&
    one.sessionToken === other.sessionToken
  );
}

/** A pause between calls to a provider that returned nothing new. */
interface GrowingPause {
  /** Starts one, twice as long as the one before: 1 second at first, a minute at most. */
  start(): void;
  /** The next one is short again. A running one continues. */
  reset(): void;
  isRunning(): boolean;
}

const firstMs = 1_000;
const maxMs = 60_000;

/** A pause that grows each time, until it is reset. */
function growingPause(clock: Clock): GrowingPause {
  let rounds = 0;
  let endsAt = Number.NEGATIVE_INFINITY;
  return {
    start() {
      endsAt = clock.monotonic() + Math.min(maxMs, firstMs * 2 ** rounds++);
    },
    reset() {
      rounds = 0;
    },
    isRunning: () => clock.monotonic() < endsAt,
  };
}

/** A provider that has not answered after this many milliseconds is abandoned, so that a later call can try again. */
const fetchLimitMs = 30_000;

/** Calls `load` and checks the result. Errors contain nothing that may be secret. */
async function fetchCredentials(
  clock: Clock,
  name: string,
  load: () => Promise<Credentials>,
): Promise<Credentials> {
  try {
    const fresh = await withDeadline(load, {
      clock,
      ms: fetchLimitMs,
      // Calls wait with their own deadlines; without this, one that ends early would keep the process alive for the rest.
      background: true,
      timedOut: () => failed(name, `did not respond within ${fetchLimitMs} ms`),
    });
    const fault = faultOf(fresh);
    if (fault !== undefined)
      throw failed(name, `returned unusable credentials: ${fault.field} ${fault.reason}`, {
        field: fault.field,
      });
    return fresh;
  } catch (error) {
    throw isTablekeepError(error)
      ? error
      : failed(name, `failed (${nameOf(error)})`, { cause: withoutQuote(error) });
  }
}

function failed(
  provider: string,
  what: string,
  { field, cause }: { readonly field?: string; readonly cause?: unknown } = {},
): ClientError<"CLIENT_CREDENTIALS_FAILED"> {
  const message = `no AWS credentials: ${provider} ${what}; check its settings and that it can be reached`;
  return new ClientError(
    "CLIENT_CREDENTIALS_FAILED",
    message,
    { provider, ...(field !== undefined && { field }) },
    { cause },
  );
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** `JSON.parse` quotes the input that it could not parse, which may contain the secret. */
function withoutQuote(error: unknown): unknown {
  return error instanceof SyntaxError ? new Error("the provider's response is not JSON") : error;
}

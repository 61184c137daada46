import { type Clock, isTablekeepError, type Logger, withDeadline } from "@tablekeep/core";
import { abortedBy } from "../retry/deadline.ts";
import type { CredentialProvider, CredentialSource, Credentials } from "./credentials.ts";
import { fetchCredentials } from "./fetch-credentials.ts";
import { growingPause } from "./growing-pause.ts";

/** Credentials are renewed once they have this long left, in milliseconds: AWS has new ones ready by then. */
const refreshWindowMs = 5 * 60_000;

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
  let gaveSameAgain = false;
  const pause = growingPause(clock);

  const renew = async (): Promise<Credentials> => {
    const held = current;
    gaveSameAgain = false;
    try {
      const fresh = await fetchCredentials(clock, name, () => provider({ forceRefresh: held !== undefined }));
      current = fresh;
      gaveSameAgain = held !== undefined && sameKeys(held, fresh);
      if (gaveSameAgain || leftMs(fresh, clock) <= refreshWindowMs) pause.start();
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
      logger.warn("credentials could not be renewed; the old ones are still valid", {
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
      // The provider has just given these same keys again: asking it once per refused call would be a storm.
      if (current !== undefined && gaveSameAgain && pause.isRunning()) return current;
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

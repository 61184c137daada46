import type { Clock } from "@tablekeep/core";
import type { Feed } from "@tablekeep/feed";
import { feedTotals } from "../../../json/feed-json.ts";
import { HttpError } from "../../http/http-route.ts";

/** The maximum number of events: a comparison reads all of them, and keeps their names in memory for a while, about 100 bytes each. */
const maxEvents = 1_000_000;

const maxMs = 60_000;

/** The maximum number of findings in a response. */
const maxFindings = 1000;

const advice = 'use "tablekeep feed verify"';

/** Compares feeds with their journals, one at a time and within limits, so that other requests go on being served. */
export class FeedVerifier {
  readonly #clock: Clock;
  #isBusy = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async verify(feed: Pick<Feed, "status" | "verify">, signal: AbortSignal): Promise<object> {
    if (this.#isBusy) throw new HttpError(429, "another feed is being verified", { "retry-after": "10" });
    this.#isBusy = true;
    const timeout = new AbortController();
    const cancel = this.#clock.after(maxMs, () => timeout.abort(), { background: true });
    const call = { signal: AbortSignal.any([signal, timeout.signal]) };
    try {
      const { events } = feedTotals(await feed.status(call));
      if (events > maxEvents)
        throw new HttpError(413, `the feed has ${events} events, more than ${maxEvents}: ${advice}`);
      const { findings, ...counts } = await feed.verify(call);
      return { ...counts, found: findings.length, findings: findings.slice(0, maxFindings) };
    } catch (error) {
      if (!timeout.signal.aborted) throw error;
      throw new HttpError(413, `not verified within ${maxMs / 1000} seconds: ${advice}`);
    } finally {
      cancel();
      this.#isBusy = false;
    }
  }
}

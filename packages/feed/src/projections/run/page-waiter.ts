import { type Clock, isTablekeepError, type Logger, sleep } from "@tablekeep/core";
import { isFeedError } from "../../feed-error.ts";
import type { OpenFeed } from "../../open-feed.ts";
import { feedChanged } from "../projection-error.ts";

/** A page of a slice. */
interface Place {
  readonly slice: number;
  readonly page: number;
}

interface Waiting extends Place {
  readonly end: (as: "poll" | "check") => void;
  readonly fail: (error: unknown) => void;
}

/** How often a wait checks whether the feed still has its generation, whose pages are removed if it is old, and what was passed. */
const checkMs = 60_000;

/**
 * Waits for pages, for all projections of a process together: all that wait for the same page cost one read. Wakes at once when this
 * process writes pages.
 */
export class PageWaiter {
  readonly #feed: OpenFeed;
  readonly #generation: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #pollMs: number;
  readonly #waiting = new Set<Waiting>();
  #isPolling = false;
  #checkedAt: number;
  /** The generation that has followed. */
  #followedBy: number | undefined;

  constructor(
    feed: OpenFeed,
    generation: number,
    { clock, logger, pollMs }: { clock: Clock; logger: Logger; pollMs: number },
  ) {
    this.#feed = feed;
    this.#generation = generation;
    this.#clock = clock;
    this.#logger = logger;
    this.#pollMs = pollMs;
    this.#checkedAt = clock.monotonic();
  }

  /**
   * Waits until a page is there, or until the signal aborts. Returns `check` if the caller is to check what it has passed: the table may have been replaced.
   * Rejects if the feed was rebuilt, or if the page or the feed's record is corrupt.
   */
  wait(slice: number, page: number, signal: AbortSignal): Promise<"poll" | "check"> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return resolve("poll");
      if (this.#followedBy !== undefined) return reject(feedChanged(this.#generation, this.#followedBy));
      const stop = () => {
        this.#waiting.delete(waiting);
        signal.removeEventListener("abort", onAbort);
      };
      const end = (as: "poll" | "check") => {
        stop();
        resolve(as);
      };
      const fail = (error: unknown) => {
        stop();
        reject(error);
      };
      const onAbort = () => end("poll");
      const waiting: Waiting = { slice, page, end, fail };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(waiting);
      if (!this.#isPolling) void this.#poll();
    });
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    let woken = new AbortController();
    const wake = () => woken.abort();
    const stop = this.#feed.notice.listen(wake);
    for (let idle = 0; this.#waiting.size > 0; ) {
      await sleep(this.#clock, Math.min(this.#pollMs, 25 * 2 ** Math.min(idle, 10)), woken.signal).catch(
        () => {
          idle = 0;
        },
      );
      woken = new AbortController();
      idle = (await this.#pollOnce()) ? 0 : idle + 1;
    }
    stop();
    this.#isPolling = false;
  }

  async #pollOnce(): Promise<boolean> {
    const keys = new Map([...this.#waiting].map(({ slice, page }) => [`${slice}-${page}`, { slice, page }]));
    const asked = [...keys.values()];
    if (asked.length === 0) return false;
    try {
      await this.#checkGeneration();
      return await this.#wakeFound(asked);
    } catch (error) {
      if (isCorrupt(error)) return this.#wakeCorrupt(asked, error);
      this.#logger.warn("could not poll a feed; trying again", { error });
      return false;
    }
  }

  /** Ends the waits for pages that are there. */
  async #wakeFound(asked: readonly Place[]): Promise<boolean> {
    // Pages never change: a read that is not consistent finds one late, but no wrong one.
    const pages = await this.#feed.store.pages.readAll(
      asked.map(({ slice, page }) => ({ generation: this.#generation, slice, number: page })),
      undefined,
      false,
    );
    const found = asked.filter((_place, at) => pages[at] !== undefined);
    for (const place of found) this.#wake(place);
    return found.length > 0;
  }

  /** Ends the waits for pages that are corrupt, or all waits if something else is corrupt. */
  async #wakeCorrupt(asked: readonly Place[], error: unknown): Promise<boolean> {
    if (!isFeedError(error, "FEED_PAGE_CORRUPT")) {
      for (const place of asked) this.#wake(place, error);
      return true;
    }
    for (const place of asked)
      await this.#wakeFound([place]).catch((own: unknown) => {
        if (isCorrupt(own)) this.#wake(place, own);
      });
    return true;
  }

  #wake({ slice, page }: Place, error?: unknown): void {
    for (const waiting of [...this.#waiting])
      if (waiting.slice === slice && waiting.page === page)
        if (error === undefined) waiting.end("poll");
        else waiting.fail(error);
  }

  /** Ends all waits if the feed has another generation. If it has not, the longest wait ends, for its slice to be checked: one of all at a time. */
  async #checkGeneration(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#checkedAt < checkMs) return;
    this.#checkedAt = now;
    const { generation } = await this.#feed.record({});
    if (generation === this.#generation) {
      const [longest] = this.#waiting;
      longest?.end("check");
      return;
    }
    this.#followedBy = generation;
    for (const waiting of [...this.#waiting]) waiting.fail(feedChanged(this.#generation, generation));
  }
}

/** Whether waiting is pointless, because stored data is corrupt. */
function isCorrupt(error: unknown): boolean {
  return isTablekeepError(error) && error.kind === "corrupt";
}

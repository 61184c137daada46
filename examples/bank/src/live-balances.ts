import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Balance } from "./balances.ts";

const maxReaders = 100;

/**
 * Sends the balances to browsers as server-sent events, whenever they have changed. One poll serves all of them, and there is none without readers.
 * Each event has all balances, so a slow reader only misses states in between.
 */
export class LiveBalances {
  readonly #read: () => Promise<readonly Balance[]>;
  readonly #pollMs: number;
  /** What each reader was sent last. */
  readonly #readers = new Map<ServerResponse, string>();
  #isPolling = false;

  constructor(read: () => Promise<readonly Balance[]>, pollMs = 200) {
    this.#read = read;
    this.#pollMs = pollMs;
  }

  /** Adds a reader until its connection ends. Returns false if there are too many. */
  add(response: ServerResponse): boolean {
    if (this.#readers.size >= maxReaders) return false;
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.flushHeaders();
    this.#readers.set(response, "");
    response.once("close", () => this.#readers.delete(response));
    if (!this.#isPolling) void this.#poll();
    return true;
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#readers.size > 0) {
      // A failed read changes nothing for readers: the next one shows what has changed.
      const state = await this.#read().then(JSON.stringify, () => undefined);
      if (state !== undefined) this.#send(state);
      await pause(this.#pollMs);
    }
    this.#isPolling = false;
  }

  #send(state: string): void {
    for (const [response, sent] of this.#readers) {
      if (sent === state || response.writableNeedDrain) continue;
      response.write(`data: ${state}\n\n`);
      this.#readers.set(response, state);
    }
  }
}

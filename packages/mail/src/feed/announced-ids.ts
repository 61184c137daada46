import { randomBytes } from "node:crypto";
import type { Clock } from "@tablekeep/core";
import type { MailSummary } from "../model/message.ts";

/** Minimum time to remember an id, so that it is announced once. Longer than the range of any regular poll. */
const memoryMs = 600_000;

/** The remembered facts about a message or a change. */
export type Announced = Pick<MailSummary, "id" | "created">;

/** The ids of messages and changes that were announced to watchers, in this order. */
export interface AnnouncedIds {
  /** The name of this memory. It changes when the memory is cleared. */
  readonly name: string;
  /** All ids, in the order in which they were added. */
  ids(): string[];
  readonly size: number;
  /** The time of the newest one, in milliseconds since 1970. */
  readonly newestMs: number;
  /** Adds a message or a change. Returns false if it was already added. */
  add(entry: Announced): boolean;
  /** Adds messages and changes that are older than all added so far. */
  addEarlier(entries: readonly Announced[]): void;
  /** Forgets old ids of messages that no poll will find again: those created before this time. */
  forget(beforeMs: number): void;
  /** Milliseconds since 1970: every message made since then is remembered here, or will be announced. */
  readonly coversFromMs: number;
  /** Forgets everything, and sets the time of the newest message and of the first that is covered. */
  reset(newestMs: number, coversFromMs: number): void;
}

export function announcedIds(clock: Clock): AnnouncedIds {
  const seen = new Map<string, { readonly at: number; readonly created: number }>();
  let newestMs = 0;
  let coversFromMs = Number.POSITIVE_INFINITY;
  let name = newName();
  return {
    get name() {
      return name;
    },
    ids: () => [...seen.keys()],
    get size() {
      return seen.size;
    },
    get newestMs() {
      // The clock may have been set back.
      return Math.min(newestMs, clock.now());
    },
    add({ id, created }) {
      if (seen.has(id)) return false;
      seen.set(id, { at: clock.monotonic(), created });
      const now = clock.now();
      newestMs = Math.min(Math.max(newestMs, created), now);
      return true;
    },
    addEarlier(entries) {
      const later = [...seen];
      const known = new Set(seen.keys());
      const at = clock.monotonic();
      seen.clear();
      for (const { id, created } of entries) if (!known.has(id)) seen.set(id, { at, created });
      for (const [id, entry] of later) seen.set(id, entry);
    },
    forget(beforeMs) {
      const longAgo = clock.monotonic() - memoryMs;
      for (const [id, { at, created }] of seen) {
        if (at > longAgo) break;
        if (created >= beforeMs) continue;
        seen.delete(id);
        coversFromMs = Math.max(coversFromMs, beforeMs);
      }
    },
    get coversFromMs() {
      return coversFromMs;
    },
    reset(newest, coversFrom) {
      seen.clear();
      name = newName();
      newestMs = newest;
      coversFromMs = coversFrom;
    },
  };
}

function newName(): string {
  return randomBytes(6).toString("base64url");
}

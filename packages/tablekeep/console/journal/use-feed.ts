import { useEffect, useState } from "preact/hooks";
import { ApiError, callApi } from "../api/call-api.ts";
import { pathPart } from "../api/path-part.ts";
import { type Answer, useAnswer } from "../api/use-answer.ts";
import { useLiveEvents } from "../api/use-live-events.ts";
import type { ShownEvent } from "./shown-event.ts";

/** The state of a journal's feed. */
export interface FeedFacts {
  readonly state: "sweeping" | "live";
  readonly events: number;
  readonly pages: number;
  /** How far it is behind the journal, in milliseconds; undefined if unknown. */
  readonly lagMs?: number;
  readonly lease?: { readonly owner: string };
  /** `error`: why the last page of a slice cannot be read. */
  readonly slices: readonly { readonly error?: string }[];
  /** Items of the journal that the last sweep could not read, and the first of them: their events may be missing in the feed. */
  readonly unreadable?: {
    readonly count: number;
    readonly items: readonly {
      readonly persistenceId: string;
      readonly sequenceNr: number;
      readonly code: string;
    }[];
  };
  /** Only if this server runs the feed. */
  readonly sequencer?: { readonly running: boolean; readonly error?: string };
}

/** An event of a feed. */
export interface FeedEvent extends ShownEvent {
  readonly position: string;
  /** Why it cannot be read: then only its id, its sequence number and its position are known. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** A journal's feed, and its events since the screen was opened. */
export interface FeedView {
  /** Null if there is no feed. */
  readonly status: Answer<FeedFacts | null>;
  /** Newest first. */
  readonly arrived: readonly FeedEvent[];
}

const refreshMs = 5_000;
/** The number of events that are kept. */
const maxArrived = 100;

/** Follows the feed of a journal, whichever process appends. `onEvent` is called for each event. */
export function useFeed(journal: string, onEvent: (event: FeedEvent) => void): FeedView {
  const path = `/api/v3/journals/${pathPart(journal)}/feed`;
  const [round, setRound] = useState(0);
  const [arrived, setArrived] = useState<readonly FeedEvent[]>([]);
  const status = useAnswer((signal) => fetchFeed(path, signal), [path, round]);
  useEffect(() => {
    const timer = setTimeout(() => setRound((last) => last + 1), refreshMs);
    return () => clearTimeout(timer);
  }, [status]);
  useEffect(() => setArrived([]), [journal]);
  const hasFeed = status.kind === "ready" && status.value !== null;
  useLiveEvents(hasFeed ? `${path}/live?from=end` : undefined, ["event"], {
    onEvent(data) {
      const event = JSON.parse(data) as FeedEvent;
      setArrived((before) => [event, ...before].slice(0, maxArrived));
      onEvent(event);
    },
  });
  return { status, arrived };
}

async function fetchFeed(path: string, signal: AbortSignal): Promise<FeedFacts | null> {
  try {
    return await callApi<FeedFacts>(path, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.code === "FEED_UNKNOWN") return null;
    throw error;
  }
}

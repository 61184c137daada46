import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, callApi } from "../api/call-api.ts";
import { searchArrivals } from "./search-arrivals.ts";

/** Which messages an inbox gets: the conditions of a rule, by name. */
export type InboxRule = Readonly<Record<string, string | number>>;

/** A named inbox in the list. */
export interface InboxEntry {
  readonly name: string;
  /** undefined if the server did not count them. */
  readonly messages?: number;
  /** Whether it can be read only with its token. */
  readonly locked?: boolean;
  readonly rules: readonly InboxRule[];
}

/** The inboxes of the server. */
export interface InboxList {
  /** The number of messages in the default inbox. */
  readonly messages: number;
  readonly named: readonly InboxEntry[];
}

export interface Inboxes {
  /** undefined until it is read, and if the server has no named inboxes. */
  readonly list: InboxList | undefined;
  /** Reads the list again soon. */
  readonly refresh: () => void;
  /** The rules of an inbox. */
  readonly rulesOf: (name: string) => readonly InboxRule[];
}

/**
 * Keeps the list of inboxes with their counts. It is read once `isWanted`, because counting holds up the messages themselves; then when
 * another inbox is chosen, and when `refresh` is called.
 */
export function useInboxes(chosen: string, isWanted: boolean): Inboxes {
  const [list, setList] = useState<InboxList>();
  const reader = useMemo(() => inboxReader(setList), []);
  useEffect(() => reader.close, [reader]);
  useEffect(() => {
    if (isWanted) reader.start();
  }, [reader, isWanted]);
  const read = useRef(chosen);
  useEffect(() => {
    if (read.current !== chosen) reader.refresh();
    read.current = chosen;
  }, [reader, chosen]);
  return {
    list,
    refresh: reader.refresh,
    rulesOf: (name) => list?.named.find((each) => each.name === name)?.rules ?? [],
  };
}

function inboxReader(onRead: (list: InboxList | undefined) => void) {
  const life = new AbortController();
  let isServed = true;
  const read = async () => {
    if (!isServed) return;
    try {
      const list = await readInboxes(life.signal);
      if (!life.signal.aborted) onRead(list);
    } catch (error) {
      // The layout of the store has no named inboxes.
      if (error instanceof ApiError && error.status === 404) isServed = false;
    }
  };
  const reads = searchArrivals(read);
  return {
    start: () => void read(),
    refresh: () => reads.arrived(),
    close: () => {
      reads.close();
      life.abort();
    },
  };
}

async function readInboxes(signal: AbortSignal): Promise<InboxList> {
  const [{ inboxes }, { count }] = await Promise.all([
    callApi<{ inboxes: readonly InboxEntry[] }>("/api/v3/inboxes?counts=true", { signal }),
    callApi<{ count: number }>("/api/v3/mail/count", { signal }),
  ]);
  return { messages: count, named: inboxes };
}

import { useEffect, useState } from "preact/hooks";
import { useLiveEvents } from "../api/use-live-events.ts";
import { useStore } from "../shell/use-store.ts";
import type { EventRows } from "./event-rows.ts";

/** Puts events on top of the list as they are appended, by any writer. */
export function useLiveTail(path: string, rows: EventRows, isLive: boolean): void {
  const isRead = useStore(rows.list.state).count !== undefined;
  const [from, setFrom] = useState<number>();
  useEffect(() => {
    // Events appended between reading the list and opening the stream are in the stream.
    setFrom(isRead && isLive ? rows.highest() + 1 : undefined);
  }, [isRead, isLive, rows]);
  const url = from === undefined ? undefined : `${path}/events/live?from=${from}`;
  useLiveEvents(url, ["event"], {
    onEvent: (data) => rows.arrive(JSON.parse(data)),
    onResume: () => rows.list.reload(),
  });
}

import { useEffect, useRef } from "preact/hooks";
import { connection } from "../shell/connection.ts";
import { servedPath } from "./call-api.ts";

export interface LiveEvents {
  /** One event: its `data`, and its type. */
  readonly onEvent: (data: string, type: string) => void;
  /** The stream is back after a break: missed changes have to be read. */
  readonly onResume?: () => void;
}

/** Events within this time are handled together, so that the page is rendered once for all of them. */
const batchMs = 40;
const firstWaitMs = 500;
const maxWaitMs = 10_000;

/**
 * Subscribes to a stream of server-sent events for as long as the component is shown. The stream is opened again whenever it
 * breaks. `path` is an API path; undefined subscribes to nothing. `types` are the event types beside plain messages.
 */
export function useLiveEvents(path: string | undefined, types: readonly string[], live: LiveEvents): void {
  const latest = useRef(live);
  latest.current = live;
  const typeList = types.join(" ");
  useEffect(() => {
    if (path === undefined) return;
    return listen(servedPath(path), ["message", ...typeList.split(" ")], latest);
  }, [path, typeList]);
}

function listen(url: string, types: readonly string[], latest: { current: LiveEvents }): () => void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let waitMs = firstWaitMs;
  let wasBroken = false;
  let batch: { readonly data: string; readonly type: string }[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const handle = () => {
    clearTimeout(timer);
    timer = undefined;
    const events = batch;
    batch = [];
    for (const { data, type } of events) latest.current.onEvent(data, type);
  };
  const open = () => {
    source = new EventSource(url);
    source.onopen = () => {
      connection.set("live");
      waitMs = firstWaitMs;
      handle();
      if (wasBroken) latest.current.onResume?.();
      wasBroken = false;
    };
    // After some responses the browser does not reconnect, and after others it waits too long.
    source.onerror = () => {
      source?.close();
      wasBroken = true;
      connection.set("offline");
      retry = setTimeout(open, waitMs);
      waitMs = Math.min(waitMs * 2, maxWaitMs);
    };
    for (const type of new Set(types)) {
      source.addEventListener(type, (event) => {
        if (!(event instanceof MessageEvent)) return;
        batch.push({ data: String(event.data), type });
        timer ??= setTimeout(handle, batchMs);
      });
    }
  };
  connection.set("connecting");
  open();
  return () => {
    clearTimeout(retry);
    clearTimeout(timer);
    source?.close();
    connection.set("quiet");
  };
}

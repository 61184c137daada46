import { useState } from "preact/hooks";
import { useLiveEvents } from "../api/use-live-events.ts";
import { parseExact } from "../json/exact-json.ts";
import type { CursorRows } from "../list/cursor-rows.ts";
import { useRefresh, useRows } from "../list/use-rows.ts";
import { type ShadowChange, type ShadowRow, storePath, viewOfChange } from "./shadow-api.ts";
import { keyOf, queryOf, type ShadowFilter, shadowRows } from "./shadow-rows.ts";
import type { StreamedChange } from "./use-shadow.ts";

/** The rows of a store that match a filter, as they change, and the last change to the one that is open. */
export function useStoreRows(
  store: string,
  filter: ShadowFilter,
  openKey: string | undefined,
): { readonly rows: CursorRows<ShadowRow>; readonly streamed: StreamedChange | undefined } {
  const [streamed, setStreamed] = useState<StreamedChange>();
  const query = queryOf(filter);
  const rows = useRows(() => shadowRows(store, filter), [store, filter.prefix, query]);
  // A prefix or a query is searched among all things: that is too much to repeat.
  useRefresh(rows, filter.prefix === "" && query === "");
  const isWhole = () => {
    const { count, mayBeMore } = rows.state.get();
    return count !== undefined && !mayBeMore;
  };
  useLiveEvents(`${storePath(store)}/shadow-events`, ["updated", "deleted"], {
    onEvent(data, type) {
      const changed = viewOfChange(store, parseExact(data) as ShadowChange);
      const kind = type === "deleted" ? "deleted" : "updated";
      if (keyOf(changed) === openKey) setStreamed({ kind, view: changed });
      const isOut = filter.sync !== "" && changed.inSync !== (filter.sync === "in");
      if (kind === "deleted" || isOut) rows.remove(new Set([keyOf(changed)]));
      // Only the server evaluates queries, and a shadow of a page that was not read yet would be there twice.
      else if (filter.query !== "" || !isWhole()) rows.change(new Map([[keyOf(changed), changed]]));
      else if (changed.thing.startsWith(filter.prefix)) rows.prepend(changed);
    },
    onResume: () => rows.reload(),
  });
  return { rows, streamed };
}

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useLiveEvents } from "../api/use-live-events.ts";
import { parseExact } from "../json/exact-json.ts";
import { cursorRows } from "../list/cursor-rows.ts";
import { useRefresh } from "../list/use-refresh.ts";
import { useRows } from "../list/use-rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { FilterBox } from "../parts/filter-box.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { placeOf, type Route } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { NewShadow } from "./new-shadow.tsx";
import { NoShadow } from "./no-shadow.tsx";
import {
  fetchShadows,
  type ShadowChange,
  type ShadowName,
  type ShadowRow,
  storePath,
  viewOfChange,
} from "./shadow-api.ts";
import { ShadowDetail } from "./shadow-detail.tsx";
import { ShadowLines } from "./shadow-lines.tsx";
import type { StreamedChange } from "./use-shadow.ts";

export interface StoreViewProps {
  readonly stores: readonly string[];
  /** "" is the first one. */
  readonly store: string;
  readonly route: Route;
}

const keyOf = ({ thing, name }: ShadowName) => JSON.stringify([thing, name]);

/** The shadows of a store, and the one that is open. */
export function StoreView({ stores, store, route }: StoreViewProps): VNode {
  const prefix = route.query.get("prefix") ?? "";
  const [isMaking, setIsMaking] = useState(false);
  const [streamed, setStreamed] = useState<StreamedChange>();
  const rows = useRows(() => shadowRows(store, prefix), [store, prefix]);
  // A prefix is searched among all things: that is too much to repeat.
  useRefresh(rows, prefix === "");
  const hrefOf = ({ thing, name }: ShadowName) => placeOf(["shadows", thing], { store, name, prefix });
  useLiveEvents(`${storePath(store)}/shadow-events`, ["updated", "deleted"], {
    onEvent(data, type) {
      const view = viewOfChange(store, parseExact(data) as ShadowChange);
      const kind = type === "deleted" ? "deleted" : "updated";
      if (kind === "deleted") rows.remove(new Set([keyOf(view)]));
      else if (view.thing.startsWith(prefix)) rows.prepend(view);
      setStreamed({ kind, view });
    },
    onResume: () => rows.reload(),
  });
  const [thing] = route.path;
  const open = thing === undefined ? undefined : { store, thing, name: route.query.get("name") ?? "" };
  const back = placeOf(["shadows"], { store, prefix });
  return (
    <>
      <SplitView
        tools={
          <>
            {stores.length > 1 && <StoreChoice stores={stores} store={store} />}
            <FilterBox
              label="Filter things by prefix"
              value={prefix}
              onChange={(typed) => goTo(placeOf(["shadows"], { store, prefix: typed }), { replace: true })}
            />
            <button type="button" onClick={() => rows.reload()}>
              Refresh
            </button>
            <button type="button" onClick={() => setIsMaking(true)}>
              New
            </button>
          </>
        }
        list={
          <VirtualList
            rows={rows}
            label="Shadows"
            rowHeight={60}
            keyOf={keyOf}
            hrefOf={hrefOf}
            openKey={open && keyOf(open)}
            renderRow={(row) => <ShadowLines {...row} />}
            empty={<NoShadow prefix={prefix} />}
          />
        }
        detail={open && <ShadowDetail key={keyOf(open)} shadow={open} change={streamed} back={back} />}
        nothingOpen="Select a shadow"
      />
      {isMaking && (
        <NewShadow store={store} onClose={() => setIsMaking(false)} onMade={(made) => goTo(hrefOf(made))} />
      )}
    </>
  );
}

function StoreChoice({ stores, store }: Pick<StoreViewProps, "stores" | "store">): VNode {
  return (
    <select
      aria-label="Store"
      value={store === "" ? stores[0] : store}
      onChange={({ currentTarget }) => goTo(placeOf(["shadows"], { store: currentTarget.value }))}
    >
      {stores.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}

/** A shadow whose halves are stored apart has two rows: one is shown. */
function shadowRows(store: string, prefix: string) {
  const seen = new Set<string>();
  return cursorRows<ShadowRow>({
    keyOf,
    async fetchPage(next, signal) {
      if (next === undefined) seen.clear();
      const page = await fetchShadows(store, { prefix, next, signal });
      const fresh = page.rows.filter((row) => !seen.has(keyOf(row)) && seen.add(keyOf(row)));
      return { rows: fresh, next: page.next };
    },
  });
}

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ListCount } from "../list/list-count.tsx";
import { VirtualList } from "../list/virtual-list.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { placeOf, type Route } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { NewShadow } from "./new-shadow.tsx";
import { NoShadow } from "./no-shadow.tsx";
import type { ShadowName } from "./shadow-api.ts";
import { ShadowControls } from "./shadow-controls.tsx";
import { ShadowDetail } from "./shadow-detail.tsx";
import { ShadowLines } from "./shadow-lines.tsx";
import { keyOf, type ShadowFilter } from "./shadow-rows.ts";
import { useStoreRows } from "./use-store-rows.ts";

export interface StoreViewProps {
  readonly stores: readonly string[];
  /** "" is the first one. */
  readonly store: string;
  readonly route: Route;
}

/** The shadows of a store, and the open one. */
export function StoreView({ stores, store, route }: StoreViewProps): VNode {
  const filter = filterOf(route.query);
  const [isMaking, setIsMaking] = useState(false);
  const view = route.query.get("view") === "history" ? "history" : "";
  const place = { store, ...addressOf(filter) };
  const hrefOf = ({ thing, name }: ShadowName, shown: string = view, at = "") =>
    placeOf(["shadows", thing], { ...place, name, view: shown, at });
  const [thing] = route.path;
  const open = thing === undefined ? undefined : { store, thing, name: route.query.get("name") ?? "" };
  const { rows, streamed } = useStoreRows(store, filter, open && keyOf(open));
  return (
    <>
      <SplitView
        tools={
          <>
            {stores.length > 1 && <StoreChoice stores={stores} store={store} />}
            <ShadowControls
              filter={filter}
              onFilter={(next) =>
                goTo(placeOf(["shadows"], { store, ...addressOf(next) }), { replace: true })
              }
              onRefresh={() => rows.reload()}
              onNew={() => setIsMaking(true)}
              // Only the first store has rollouts.
              rollouts={
                store === "" ? placeOf(["shadows"], { view: "rollouts", q: filter.query }) : undefined
              }
            />
          </>
        }
        list={
          <>
            <VirtualList
              rows={rows}
              label="Shadows"
              rowHeight={60}
              keyOf={keyOf}
              hrefOf={(row) => hrefOf(row)}
              openKey={open && keyOf(open)}
              renderRow={(row) => <ShadowLines key={keyOf(row)} {...row} />}
              empty={<NoShadow filter={filter} />}
            />
            <ListCount rows={rows} noun="shadow" />
          </>
        }
        detail={
          open && (
            <ShadowDetail
              key={keyOf(open)}
              shadow={open}
              change={streamed}
              back={placeOf(["shadows"], place)}
              at={route.query.get("at") ?? ""}
              isHistory={view === "history"}
              placeOfView={(shown, at) => hrefOf(open, shown, at)}
            />
          )
        }
        nothingOpen="Select a shadow"
      />
      {isMaking && (
        <NewShadow store={store} onClose={() => setIsMaking(false)} onMade={(made) => goTo(hrefOf(made))} />
      )}
    </>
  );
}

function filterOf(query: URLSearchParams): ShadowFilter {
  const sync = query.get("sync");
  return {
    prefix: query.get("prefix") ?? "",
    query: query.get("q") ?? "",
    sync: sync === "in" || sync === "behind" ? sync : "",
  };
}

function addressOf({ prefix, query, sync }: ShadowFilter): Readonly<Record<string, string>> {
  return { prefix, q: query, sync };
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

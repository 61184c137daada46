import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useLiveEvents } from "../api/use-live-events.ts";
import { parseExact } from "../json/exact-json.ts";
import { cursorRows } from "../list/cursor-rows.ts";
import { useRows } from "../list/use-rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { FilterBox } from "../parts/filter-box.tsx";
import { shortTime } from "../parts/show-time.ts";
import { SplitView } from "../parts/split-view.tsx";
import { placeOf, type Route } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { NewShadow } from "./new-shadow.tsx";
import {
  fetchShadows,
  type ShadowChange,
  type ShadowName,
  type ShadowRow,
  type ShadowView,
  viewOfChange,
} from "./shadow-api.ts";
import { ShadowDetail } from "./shadow-detail.tsx";
import "../parts/detail.css";
import "./shadows.css";

/** What was heard last of a shadow. */
export interface HeardChange {
  readonly kind: "updated" | "deleted";
  readonly view: ShadowView;
}

const keyOf = ({ thing, name }: ShadowName) => JSON.stringify([thing, name]);

/** Device shadows: the list, and of one what is desired, reported and different. */
export function ShadowsScreen({ route }: { readonly route: Route }): VNode {
  const prefix = route.query.get("prefix") ?? "";
  const [isMaking, setIsMaking] = useState(false);
  const [heard, setHeard] = useState<HeardChange>();
  const rows = useRows(() => shadowRows(prefix), [prefix]);
  const hrefOf = ({ thing, name }: ShadowName) => placeOf(["shadows", thing], { name, prefix });
  useLiveEvents("/api/v3/shadow-events", ["updated", "deleted"], {
    onEvent(data, type) {
      const view = viewOfChange(parseExact(data) as ShadowChange);
      const kind = type === "deleted" ? "deleted" : "updated";
      if (kind === "deleted") rows.remove(new Set([keyOf(view)]));
      else if (view.thing.startsWith(prefix)) rows.prepend(view);
      setHeard({ kind, view });
    },
    onResume: () => rows.reload(),
  });
  const [thing] = route.path;
  const open = thing === undefined ? undefined : { thing, name: route.query.get("name") ?? "" };
  return (
    <>
      <SplitView
        tools={
          <>
            <FilterBox
              label="Things that begin with"
              value={prefix}
              onChange={(typed) => goTo(placeOf(["shadows"], { prefix: typed }), { replace: true })}
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
        detail={
          open && (
            <ShadowDetail
              key={keyOf(open)}
              shadow={open}
              heard={heard}
              back={placeOf(["shadows"], { prefix })}
            />
          )
        }
        nothingOpen="Choose a shadow"
      />
      {isMaking && <NewShadow onClose={() => setIsMaking(false)} onMade={(made) => goTo(hrefOf(made))} />}
    </>
  );
}

/** A shadow whose halves are stored apart has two rows: one is shown. */
function shadowRows(prefix: string) {
  const seen = new Set<string>();
  return cursorRows<ShadowRow>({
    keyOf,
    async fetchPage(next, signal) {
      if (next === undefined) seen.clear();
      const page = await fetchShadows(prefix, next, signal);
      const fresh = page.rows.filter((row) => !seen.has(keyOf(row)) && seen.add(keyOf(row)));
      return { rows: fresh, next: page.next };
    },
  });
}

function ShadowLines({ thing, name, version, timestamp }: ShadowRow): VNode {
  return (
    <>
      <span class="row-line">
        <strong>{thing}</strong>
        <small>{shortTime(timestamp)}</small>
      </span>
      <span class="row-line dim">
        <span class="grow">{name === "" ? "classic" : name}</span>
        <small>version {version}</small>
      </span>
    </>
  );
}

function NoShadow({ prefix }: { readonly prefix: string }): VNode {
  if (prefix !== "")
    return (
      <EmptyState title="Nothing found">
        <p>The name of no thing begins with “{prefix}”. Upper and lower case count.</p>
      </EmptyState>
    );
  return (
    <EmptyState
      title="No shadow yet"
      commands={[
        `npx tablekeep shadow desire lamp '{"on":true}'`,
        `mosquitto_pub -t '$aws/things/lamp/shadow/update' -m '{"state":{"reported":{"on":false}}}'`,
      ]}
    >
      <p>Say how a thing should be, or let a device say how it is:</p>
    </EmptyState>
  );
}

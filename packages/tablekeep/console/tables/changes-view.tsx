import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useLiveEvents } from "../api/use-live-events.ts";
import { DiffView } from "../json/diff-view.tsx";
import { JsonView } from "../json/json-view.tsx";
import { heldRows } from "../list/held-rows.ts";
import { useRows } from "../list/use-rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { Detail, Facts } from "../parts/detail.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { counted, longTime, shortTime } from "../parts/show-values.ts";
import { SplitView } from "../parts/split-view.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { placeOf } from "../shell/route.ts";
import { useStore } from "../shell/use-store.ts";
import type { TableFacts, WireItem } from "./api/table-facts.ts";
import { changesPath } from "./api/tables-api.ts";
import { plainItem } from "./items/plain-item.ts";
import { keyText } from "./query/items-query.ts";

/** A change to an item since the page was opened, or a place where some are missing. */
type SeenRow = SeenChange | SeenGap;

interface SeenGap {
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What is missing. */
  readonly gap: string;
}

interface SeenChange {
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Null if there was none. */
  readonly before: WireItem | null;
  /** Null if it was deleted. */
  readonly after: WireItem | null;
}

/** Changes that are kept; older ones are dropped. */
const maxChanges = 500;

export interface ChangesViewProps {
  readonly facts: TableFacts;
  readonly head: VNode;
  /** `change` is the open one. */
  readonly query: URLSearchParams;
}

/** The changes to a table as they happen, by any program. */
export function ChangesView({ facts, head, query }: ChangesViewProps): VNode {
  const [isLive, setIsLive] = useState(true);
  const [missed, setMissed] = useState(0);
  const rows = useRows(() => heldRows<SeenRow>(({ number }) => String(number), maxChanges), [facts.name]);
  const { count = 0 } = useStore(rows.state);
  const changes = Array.from({ length: count }, (_, at) => rows.rowAt(at)).filter(
    (row) => row !== undefined && !("gap" in row),
  ).length;
  const addGap = (gap: string) => rows.prepend({ number: ++lastNumber, at: Date.now(), gap });
  useLiveEvents(isLive && canFollow(facts) ? changesPath(facts.name) : undefined, ["change", "missed"], {
    onEvent(data, type) {
      if (type !== "missed")
        return rows.prepend({ ...(JSON.parse(data) as SeenChange), number: ++lastNumber });
      const { changes } = JSON.parse(data) as { changes: number };
      setMissed((before) => before + changes);
      addGap(`${counted(changes, "change")} more than this page could follow`);
    },
    // The server sends only changes from now on.
    onResume: () => addGap("The connection was lost: changes until now are not shown"),
  });
  const open = query.get("change") ?? undefined;
  const place = ["tables", facts.name, "changes"];
  const shown = open === undefined ? undefined : rows.find(open);
  return (
    <SplitView
      tools={
        <>
          {head}
          <div class="list-head">
            <span class="grow dim" role="status">
              {counted(changes, "change")}
              {missed > 0 && `, ${missed.toLocaleString()} more than this page could follow`}
            </span>
            <label class="switch">
              <input
                type="checkbox"
                checked={isLive}
                onChange={({ currentTarget }) => {
                  setIsLive(currentTarget.checked);
                  if (currentTarget.checked) addGap("Live was off: changes until now are not shown");
                }}
              />
              Live
            </label>
          </div>
        </>
      }
      list={
        <VirtualList
          rows={rows}
          label="Changes"
          rowHeight={60}
          keyOf={({ number }) => String(number)}
          hrefOf={({ number }) => placeOf(place, { change: String(number) })}
          openKey={open}
          renderRow={(row) =>
            "gap" in row ? <GapLines {...row} /> : <ChangeLines facts={facts} change={row} />
          }
          empty={<NoChange facts={facts} />}
        />
      }
      detail={
        shown &&
        ("gap" in shown ? (
          <GapDetail {...shown} items={placeOf(["tables", facts.name])} back={placeOf(place)} />
        ) : (
          <ChangeDetail facts={facts} change={shown} back={placeOf(place)} />
        ))
      }
      openKey={open}
    />
  );
}

let lastNumber = 0;

/** A server on a folder follows every table; another one needs a stream with both images. */
function canFollow({ live, stream }: TableFacts): boolean {
  return live === true || stream === "NEW_AND_OLD_IMAGES" || stream === "NEW_IMAGE";
}

function NoChange({ facts }: { readonly facts: TableFacts }): VNode {
  if (canFollow(facts))
    return (
      <EmptyState title="No changes yet">
        <p>Writes of any program to this table appear here, with the item before and after.</p>
      </EmptyState>
    );
  const enable = `aws dynamodb update-table --table-name ${facts.name} --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES`;
  return (
    <EmptyState title="This table has no stream" commands={[enable]}>
      <p>Behind an endpoint, changes are read from the stream of the table. To enable one:</p>
    </EmptyState>
  );
}

function kindOf({ before, after }: SeenChange): { readonly title: string; readonly kind: string } {
  if (before === null) return { title: "created", kind: "good" };
  return after === null ? { title: "deleted", kind: "bad" } : { title: "changed", kind: "warn" };
}

function ChangeLines({ facts, change }: { readonly facts: TableFacts; readonly change: SeenChange }): VNode {
  const { title, kind } = kindOf(change);
  return (
    <>
      <span class="row-line">
        <strong>{keyOfChange(facts, change)}</strong>
        <small>{shortTime(change.at)}</small>
      </span>
      <span class="row-line dim">
        <span class={`badge ${kind}`}>{title}</span>
        <span class="grow">{changedNames(change).join(", ")}</span>
      </span>
    </>
  );
}

function GapLines({ at, gap }: SeenGap): VNode {
  return (
    <>
      <span class="row-line">
        <strong>Gap</strong>
        <small>{shortTime(at)}</small>
      </span>
      <span class="row-line dim">
        <span class="grow">{gap}</span>
      </span>
    </>
  );
}

function GapDetail({
  at,
  gap,
  items,
  back,
}: SeenGap & { readonly items: string; readonly back: string }): VNode {
  return (
    <Detail title="Gap" back={back}>
      <Facts facts={{ Until: longTime(at) }} />
      <p>
        {gap}. The <a href={items}>items</a> are as they are now.
      </p>
    </Detail>
  );
}

function keyOfChange({ partition, sort }: TableFacts, { before, after }: SeenChange): string {
  const item = after ?? before ?? {};
  return [keyText(item, partition), ...(sort === undefined ? [] : [keyText(item, sort)])].join(" · ");
}

/** The attributes that differ. */
function changedNames({ before, after }: SeenChange): readonly string[] {
  const [from, to] = [before ?? {}, after ?? {}];
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]));
}

interface ChangeDetailProps {
  readonly facts: TableFacts;
  readonly change: SeenChange;
  readonly back: string;
}

function ChangeDetail({ facts, change, back }: ChangeDetailProps): VNode {
  const [tab, setTab] = useState<"changes" | "before" | "after">("changes");
  const plain = (item: WireItem | null) => (item === null ? {} : plainItem(item));
  return (
    <Detail title={keyOfChange(facts, change)} back={back}>
      <Facts facts={{ Change: kindOf(change).title, Time: longTime(change.at) }} />
      <Tabs
        label="Views of the change"
        tabs={[
          { name: "changes", title: "Differences" },
          { name: "before", title: "Before", disabled: change.before === null },
          { name: "after", title: "After", disabled: change.after === null },
        ]}
        chosen={tab}
        onChoose={setTab}
      />
      <div role="tabpanel">
        {tab === "changes" && (
          <DiffView before={plain(change.before)} after={plain(change.after)} label="Differences" />
        )}
        {tab !== "changes" && <JsonView value={plain(change[tab])} label="Item" />}
      </div>
    </Detail>
  );
}

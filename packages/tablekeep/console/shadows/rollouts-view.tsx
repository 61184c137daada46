import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { cursorRows } from "../list/cursor-rows.ts";
import { useRows } from "../list/use-rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ListHead } from "../parts/list-head.tsx";
import { shortTime } from "../parts/show-values.ts";
import { SplitView } from "../parts/split-view.tsx";
import { placeOf } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { NewRolloutDialog } from "./new-rollout.tsx";
import { RolloutDetail } from "./rollout-detail.tsx";
import { PhaseBadge, waveText } from "./rollout-facts.tsx";
import { fetchRollouts, type Rollout } from "./rollouts-api.ts";

/** How often what is shown is read again, in milliseconds. */
const refreshMs = 3_000;

const placeOfRollout = (rollout: string) => placeOf(["shadows"], { view: "rollouts", rollout });

export interface RolloutsViewProps {
  /** `rollout` is the one that is open; `q` is the query of a new one. */
  readonly query: URLSearchParams;
}

/** The rollouts of a server, and the one that is open. */
export function RolloutsView({ query }: RolloutsViewProps): VNode {
  const [isMaking, setIsMaking] = useState(false);
  const open = query.get("rollout") || undefined;
  const rows = useRows(
    () =>
      cursorRows<Rollout>({
        keyOf: ({ name }) => name,
        fetchPage: async (_cursor, signal) => ({ rows: await fetchRollouts(signal) }),
      }),
    [],
  );
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) rows.reload();
    }, refreshMs);
    return () => clearInterval(timer);
  }, [rows]);
  return (
    <>
      <SplitView
        tools={
          <ListHead title="Rollouts" up={placeOf(["shadows"])}>
            <button type="button" onClick={() => rows.reload()}>
              Refresh
            </button>
            <button type="button" onClick={() => setIsMaking(true)}>
              New
            </button>
          </ListHead>
        }
        list={
          <VirtualList
            rows={rows}
            label="Rollouts"
            rowHeight={60}
            keyOf={({ name }) => name}
            hrefOf={({ name }) => placeOfRollout(name)}
            openKey={open}
            renderRow={(rollout) => <RolloutLines {...rollout} />}
            empty={<NoRollout />}
          />
        }
        detail={
          open && (
            <RolloutDetail key={open} name={open} refreshMs={refreshMs} onChange={() => rows.reload()} />
          )
        }
        openKey={open}
        nothingOpen="Select a rollout"
      />
      {isMaking && (
        <NewRolloutDialog
          query={query.get("q") ?? ""}
          onClose={() => setIsMaking(false)}
          onCreated={(name) => {
            rows.reload();
            goTo(placeOfRollout(name));
          }}
        />
      )}
    </>
  );
}

function RolloutLines(rollout: Rollout): VNode {
  const { name, query, createdAt } = rollout;
  return (
    <>
      <span class="row-line">
        <strong>{name}</strong>
        <PhaseBadge {...rollout} />
        <small>{shortTime(createdAt)}</small>
      </span>
      <span class="row-line dim">
        <code class="grow">{query}</code>
        <small>{waveText(rollout)}</small>
      </span>
    </>
  );
}

function NoRollout(): VNode {
  return (
    <EmptyState
      title="No rollouts yet"
      commands={[
        `npx tablekeep shadow rollout create v2 'reported.firmware<"2.1"' '{"firmware":"2.1"}' --waves 1,10%`,
      ]}
    >
      <p>
        A rollout sets a desired state for all things that a query matches, in waves: the next wave begins
        when enough things of the last one report it. Create one with the button “New”, or with this command:
      </p>
    </EmptyState>
  );
}

import type { VNode } from "preact";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import type { Route } from "../shell/route.ts";
import { RolloutsView } from "./rollouts-view.tsx";
import { fetchStores } from "./shadow-api.ts";
import { StoreView } from "./store-view.tsx";
import "../parts/detail.css";
import "./shadows.css";

/** Device shadows, of one store at a time, and rollouts. */
export function ShadowsScreen({ route }: { readonly route: Route }): VNode {
  const stores = useAnswer(fetchStores, []);
  const store = route.query.get("store") ?? "";
  return (
    <AnswerView answer={stores}>
      {(known) =>
        known.length === 0 ? (
          <EmptyState title="Shadows are disabled on this server" commands={["npx tablekeep serve"]}>
            <p>By default a server has a shadow store.</p>
          </EmptyState>
        ) : route.path.length === 0 && route.query.get("view") === "rollouts" ? (
          <RolloutsView query={route.query} />
        ) : (
          <StoreView key={store} stores={known} store={store === known[0] ? "" : store} route={route} />
        )
      }
    </AnswerView>
  );
}

import type { VNode } from "preact";
import { servedPath } from "../api/call-api.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { queryOf, type ShadowFilter } from "./shadow-rows.ts";

/** Stands where the list has no shadows. */
export function NoShadow({ filter }: { readonly filter: ShadowFilter }): VNode {
  const query = queryOf(filter);
  if (query !== "")
    return (
      <EmptyState title="No results">
        <p>
          No shadow matches <code>{query}</code>
          {filter.prefix !== "" && `, among things that begin with “${filter.prefix}”`}.
        </p>
      </EmptyState>
    );
  if (filter.prefix !== "")
    return (
      <EmptyState title="No results">
        <p>No thing has a name that begins with “{filter.prefix}”. Names are case-sensitive.</p>
      </EmptyState>
    );
  return (
    <EmptyState
      title="No shadows yet"
      commands={[
        `npx tablekeep shadow desire lamp '{"on":true}'`,
        `curl ${location.origin}/things/lamp/shadow -d '{"state":{"reported":{"on":false}}}'`,
      ]}
    >
      <p>
        Set the desired or the reported state of a thing with one of these commands. Devices connect to the{" "}
        <a href={servedPath("/about")}>MQTT address</a>.
      </p>
    </EmptyState>
  );
}

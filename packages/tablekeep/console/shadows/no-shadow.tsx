import type { VNode } from "preact";
import { servedPath } from "../api/served-path.ts";
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
        <p>The name of no thing begins with “{filter.prefix}”. Upper and lower case count.</p>
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
        Say how a thing should be, or how it is. Devices do so by MQTT, too (
        <a href={servedPath("/about")}>its address</a>
        ).
      </p>
    </EmptyState>
  );
}

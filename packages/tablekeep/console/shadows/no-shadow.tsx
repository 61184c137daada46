import type { VNode } from "preact";
import { EmptyState } from "../parts/empty-state.tsx";

/** Stands where the list has no shadows. */
export function NoShadow({ prefix }: { readonly prefix: string }): VNode {
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

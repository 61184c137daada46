import type { ComponentChildren, VNode } from "preact";
import { useKeys } from "../shell/keyboard.ts";
import { goTo } from "../shell/use-route.ts";
import "./detail.css";

export interface ListHeadProps {
  readonly title: string;
  /** The list above this one. */
  readonly up: string;
  /** Stands behind the title: switches. @default nothing */
  readonly children?: ComponentChildren;
}

/** The head of a list inside another one: its parent, with a link back up. `u` follows it as well. */
export function ListHead({ title, up, children }: ListHeadProps): VNode {
  useKeys({ u: { does: "Back to the parent list", run: () => goTo(up) } });
  return (
    <div class="list-head">
      <a class="button" href={up} aria-label="Back to the parent list" title="Up: u">
        ↑
      </a>
      <strong title={title}>{title}</strong>
      {children}
    </div>
  );
}

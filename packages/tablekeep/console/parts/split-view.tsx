import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface SplitViewProps {
  /** Stands above the list: search, buttons. */
  readonly tools: ComponentChildren;
  readonly list: ComponentChildren;
  /** The open detail; undefined shows only the list on a narrow screen. */
  readonly detail: ComponentChildren | undefined;
  /** Identifies the open detail: another one starts at its top. @default "" */
  readonly openKey?: string;
  /** Shown in place of the detail if there is space for both. @default nothing: the list has all of the width */
  readonly nothingOpen?: ComponentChildren;
}

/** A list with the open detail beside it; on a phone one of the two. */
export function SplitView({ tools, list, detail, openKey, nothingOpen }: SplitViewProps): VNode {
  const pane = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (pane.current !== null) pane.current.scrollTop = 0;
  }, [openKey]);
  return (
    <div class={`split${detail === undefined ? "" : " has-open"}${nothingOpen === undefined ? " wide" : ""}`}>
      <section class="split-list" aria-label="List">
        <div class="tools">{tools}</div>
        {list}
      </section>
      {(detail ?? nothingOpen) !== undefined && (
        <section ref={pane} class="split-detail" aria-label="Details">
          {detail ?? <div class="nothing-open">{nothingOpen}</div>}
        </section>
      )}
    </div>
  );
}

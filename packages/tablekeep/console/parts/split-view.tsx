import type { ComponentChildren, VNode } from "preact";

export interface SplitViewProps {
  /** Stands above the list: search, buttons. */
  readonly tools: ComponentChildren;
  readonly list: ComponentChildren;
  /** What is open; undefined shows the list alone where there is little room. */
  readonly detail: ComponentChildren | undefined;
  /** Stands in the place of the detail where there is room for both. */
  readonly nothingOpen: ComponentChildren;
}

/** A list, and beside it what is open; on a phone one of the two. */
export function SplitView({ tools, list, detail, nothingOpen }: SplitViewProps): VNode {
  return (
    <div class={detail === undefined ? "split" : "split has-open"}>
      <section class="split-list" aria-label="List">
        <div class="tools">{tools}</div>
        {list}
      </section>
      <section class="split-detail" aria-label="Details">
        {detail ?? <div class="nothing-open">{nothingOpen}</div>}
      </section>
    </div>
  );
}

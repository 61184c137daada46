import type { ComponentChildren, VNode } from "preact";
import "./json.css";

export interface PrintedProps {
  /** Its label, for screen readers. */
  readonly label: string;
  readonly kind?: "json" | "bytes" | "diff";
  readonly children: ComponentChildren;
}

/** Text in its own lines. What scrolls can be reached by keys. */
export function Printed({ label, kind = "json", children }: PrintedProps): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class={`printed ${kind}`} aria-label={label} tabIndex={0}>
      <pre>{children}</pre>
    </section>
  );
}

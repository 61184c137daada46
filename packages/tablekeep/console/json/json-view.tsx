import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { showSize } from "../parts/show-values.ts";
import { jsonTokens } from "./json-tokens.ts";
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

/** Text longer than this is shown without colors: each piece with one is an element of the page. */
const maxColored = 20_000;
/** Longer text is shown in part until all of it is requested. */
const maxShown = 200_000;

/** A JSON value, printed. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }): VNode {
  const [showsAll, setShowsAll] = useState(false);
  const text = JSON.stringify(value, undefined, 2) ?? "";
  const isCut = text.length > maxShown && !showsAll;
  return (
    <div class="json-view">
      <Printed label={label}>
        {text.length <= maxColored
          ? jsonTokens(text).map((token, at) => (
              <span key={`${at}`} class={`json-${token.kind}`}>
                {token.text}
              </span>
            ))
          : isCut
            ? text.slice(0, maxShown)
            : text}
      </Printed>
      {isCut && (
        <button type="button" onClick={() => setShowsAll(true)}>
          Show all {showSize(text.length)}
        </button>
      )}
    </div>
  );
}

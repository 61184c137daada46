import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { type DiffLine, type DiffSign, diffLines } from "./diff-lines.ts";
import { Printed } from "./json-view.tsx";

/** The number of lines in the page until all are requested. */
const maxLines = 180;
const names: Readonly<Record<DiffSign, string>> = { " ": "same", "+": "added", "-": "removed" };

export interface DiffViewProps {
  readonly before: unknown;
  readonly after: unknown;
  /** What is compared, for screen readers. */
  readonly label: string;
}

/** What changed from one JSON value to another: lines with a sign and a color. */
export function DiffView({ before, after, label }: DiffViewProps): VNode {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const [showsAll, setShowsAll] = useState(false);
  if (!lines.some(({ sign }) => sign !== " ")) return <p class="dim">No differences.</p>;
  const shown = showsAll ? lines : lines.slice(0, maxLines);
  return (
    <div class="json-view">
      <Printed label={label} kind="diff">
        {shown.map((line, at) => (
          <Line key={`${at}`} {...line} />
        ))}
      </Printed>
      {shown.length < lines.length && (
        <button type="button" onClick={() => setShowsAll(true)}>
          Show all {lines.length.toLocaleString()} lines
        </button>
      )}
    </div>
  );
}

function Line({ sign, text }: DiffLine): VNode {
  return (
    <span class={`diff-line ${names[sign]}`}>
      <span class="diff-sign">{sign}</span>
      {sign !== " " && <span class="unseen">{names[sign]}: </span>}
      {`${text}\n`}
    </span>
  );
}

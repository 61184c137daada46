import type { VNode } from "preact";
import { counted } from "../parts/show-values.ts";
import { useStore } from "../shell/use-store.ts";
import type { Rows } from "./rows.ts";
import { sortedCount } from "./sorted-pages.ts";
import "../parts/detail.css";

export interface ListCountProps {
  /** The rows, sorted in groups if there are many. */
  readonly rows: Pick<Rows<unknown>, "state">;
  /** What a row is: `table`. */
  readonly noun: string;
}

/** The number of rows below a list; nothing below an empty one. */
export function ListCount({ rows, noun }: ListCountProps): VNode | null {
  const { count = 0, mayBeMore } = useStore(rows.state);
  if (count === 0) return null;
  return (
    <p class="list-foot" role="status">
      {counted(count, noun)}
      {mayBeMore && ` so far, sorted in groups of about ${sortedCount.toLocaleString()}`}
    </p>
  );
}

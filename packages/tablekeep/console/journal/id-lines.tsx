import type { VNode } from "preact";
import { useAnswer } from "../api/use-answer.ts";
import { shortTime } from "../parts/show-values.ts";
import { fetchLast, type IdRow } from "./id-rows.ts";

/** An id with the number, type and time of its last event, which is read once the row is visible. */
export function IdLines({ journal, row }: { readonly journal: string; readonly row: IdRow }): VNode {
  const { id, round } = row;
  const answer = useAnswer((signal) => fetchLast(journal, id, signal), [`${journal} ${id}`, round]);
  const read = answer.kind === "ready" ? answer.value : undefined;
  // An event of the feed may be newer than the response, or older.
  const last = row.last !== undefined && row.last.sequenceNr > (read?.sequenceNr ?? 0) ? row.last : read;
  return (
    <>
      <span class="row-line">
        <strong>{id}</strong>
        {last && last.timestamp > 0 && <small>{shortTime(last.timestamp)}</small>}
      </span>
      <span class="row-line dim">
        <span class="grow">
          {last && (
            <>
              <span class="number">{last.sequenceNr.toLocaleString()}</span> {last.type}
            </>
          )}
          {last === null && "no events"}
        </span>
      </span>
    </>
  );
}

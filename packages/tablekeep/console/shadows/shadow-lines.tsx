import type { VNode } from "preact";
import { ApiError } from "../api/call-api.ts";
import { useAnswer } from "../api/use-answer.ts";
import { visibleForAMoment } from "../list/sorted-pages.ts";
import { shortTime } from "../parts/show-values.ts";
import { fetchShadow, type ShadowRow } from "./shadow-api.ts";
import { keyOf } from "./shadow-rows.ts";

/** A shadow in a row of the list. Whether it is in sync is read once the row is visible. */
export function ShadowLines(row: ShadowRow): VNode {
  const { thing, name, version, timestamp } = row;
  const read = useAnswer((signal) => readSync(row, signal), [keyOf(row), version, row.inSync]);
  const inSync = row.inSync ?? (read.kind === "ready" ? read.value : undefined);
  return (
    <>
      <span class="row-line">
        <strong>{thing}</strong>
        <small>{shortTime(timestamp)}</small>
      </span>
      <span class="row-line dim">
        <span class="grow">{name === "" ? "classic" : name}</span>
        {inSync !== undefined && (
          <small class={inSync ? "in-sync" : "behind"}>{inSync ? "✓ in sync" : "≠ behind"}</small>
        )}
        <small>version {version}</small>
      </span>
    </>
  );
}

/** Undefined if the shadow was deleted. */
async function readSync(row: ShadowRow, signal: AbortSignal): Promise<boolean | undefined> {
  if (row.inSync !== undefined) return row.inSync;
  await visibleForAMoment(signal);
  try {
    return (await fetchShadow(row, signal)).delta === undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

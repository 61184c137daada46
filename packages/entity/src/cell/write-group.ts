import type { Outcome, TablekeepError } from "@tablekeep/core";
import { isJournalError, type WrittenRange } from "@tablekeep/journal";
import type { HostContext, LoadedEntity } from "./cell.ts";
import type { Group } from "./form-group.ts";
import { type GroupItem, type RejectedGroupItem, rejectedIn } from "./rejected-items.ts";

/** The result of writing a group. Nothing was written unless the kind says otherwise. */
export type GroupResult =
  | { readonly kind: "stored" }
  /** The events cannot be stored as they are. */
  | { readonly kind: "unsuitable"; readonly error: TablekeepError }
  /** The store rejected the write. */
  | { readonly kind: "not-stored"; readonly error: TablekeepError }
  /** Conditions of items that are written with the events failed: of the ledger, or of a decision. */
  | {
      readonly kind: "items-rejected";
      readonly items: readonly RejectedGroupItem[];
      readonly error: TablekeepError;
    }
  /** Another writer was first. */
  | { readonly kind: "conflict"; readonly error: TablekeepError }
  | { readonly kind: "unknown"; readonly error: unknown }
  /** Some of the independent events are stored. */
  | { readonly kind: "partly"; readonly stored: number; readonly of: number; readonly error: TablekeepError };

/** Share of the callers' time that a write may use. The rest is for reading the outcome if it is unknown. */
const shareOfTime = 2 / 3;

/** Writes the events of a group. */
export async function writeGroup(
  { clock }: HostContext,
  loaded: LoadedEntity,
  { entries, events, atomic, alsoWrite }: Group,
): Promise<GroupResult> {
  const endsAt = Math.max(...entries.map(({ ask }) => ask.endsAt));
  const deadlineMs = Math.max(1, (endsAt - clock.monotonic()) * shareOfTime);
  let outcomes: readonly Outcome<WrittenRange>[];
  try {
    outcomes = atomic
      ? [
          await loaded.writer.append(events, {
            alsoWrite: alsoWrite.map(({ action }) => action),
            deadlineMs,
          }),
        ]
      : await loaded.writer.appendEach(events, { deadlineMs });
  } catch (error) {
    return { kind: "unknown", error };
  }
  return resultOf(outcomes, alsoWrite);
}

function resultOf(outcomes: readonly Outcome<WrittenRange>[], alsoWrite: readonly GroupItem[]): GroupResult {
  // After an unsuitable event the writer continues, so a later one may be unknown.
  const failed =
    outcomes.find(({ kind }) => kind === "unknown") ?? outcomes.find(({ kind }) => kind !== "ok");
  if (failed === undefined || failed.kind === "ok") return { kind: "stored" };
  const stored = outcomes.filter(({ kind }) => kind === "ok").length;
  const { kind, error } = failed;
  if (stored > 0) return { kind: "partly", stored, of: outcomes.length, error };
  if (kind !== "rejected") return { kind, error };
  const items = isJournalError(error, "JOURNAL_ALSO_WRITE_REJECTED")
    ? rejectedIn(alsoWrite, error.details.rejected)
    : [];
  if (items.length > 0) return { kind: "items-rejected", items, error };
  if (error.code === "JOURNAL_WRITER_ENDED") return { kind: "conflict", error };
  return { kind: error.kind === "invalid" || error.kind === "limit" ? "unsuitable" : "not-stored", error };
}

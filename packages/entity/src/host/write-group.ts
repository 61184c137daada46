import type { Outcome, TablekeepError } from "@tablekeep/core";
import type { WrittenRange } from "@tablekeep/journal";
import type { Group } from "./form-group.ts";
import type { HostContext } from "./host-context.ts";
import type { LoadedEntity } from "./loaded-entity.ts";

/** How the write of a group ended. */
export type GroupEnd =
  | { readonly kind: "stored" }
  /** Surely not stored, because of what is in it. */
  | { readonly kind: "unfit"; readonly error: TablekeepError }
  /** Surely not stored, because the store did not take it. */
  | { readonly kind: "not-stored"; readonly error: TablekeepError }
  /** Surely not stored, because the ledger knows one of the commands. */
  | { readonly kind: "known"; readonly error: TablekeepError }
  /** Surely not stored, because another's write came first. */
  | { readonly kind: "conflict"; readonly error: TablekeepError }
  | { readonly kind: "unknown"; readonly error: unknown }
  /** Of independent events some are stored. */
  | { readonly kind: "partly"; readonly stored: number; readonly of: number; readonly error: TablekeepError };

/** Part of the callers' time that a write may take: the rest is for a look at the table if its outcome is unknown. */
const shareOfTime = 2 / 3;

/** Writes the events of a group. */
export async function writeGroup(
  { clock }: HostContext,
  loaded: LoadedEntity,
  { entries, events, atomic, alsoWrite }: Group,
): Promise<GroupEnd> {
  const endsAt = Math.max(...entries.map(({ ask }) => ask.endsAt));
  const deadlineMs = Math.max(1, (endsAt - clock.monotonic()) * shareOfTime);
  const write = events.length === 1 && events[0] !== undefined ? events[0] : events;
  let outcomes: readonly Outcome<WrittenRange>[];
  try {
    outcomes = await loaded.writer.append(atomic ? [write] : events, { alsoWrite, deadlineMs });
  } catch (error) {
    return { kind: "unknown", error };
  }
  return endOf(outcomes);
}

/** What the outcomes of the writes of one group say of it. */
function endOf(outcomes: readonly Outcome<WrittenRange>[]): GroupEnd {
  // After one that did not fit the others go on, and one of these may be in doubt.
  const failed =
    outcomes.find(({ kind }) => kind === "unknown") ?? outcomes.find(({ kind }) => kind !== "ok");
  if (failed === undefined || failed.kind === "ok") return { kind: "stored" };
  const stored = outcomes.filter(({ kind }) => kind === "ok").length;
  const { kind, error } = failed;
  if (stored > 0) return { kind: "partly", stored, of: outcomes.length, error };
  if (kind !== "rejected") return { kind, error };
  if (error.code === "JOURNAL_ALSO_WRITE_REFUSED") return { kind: "known", error };
  if (error.code === "JOURNAL_WRITER_ENDED") return { kind: "conflict", error };
  return { kind: error.kind === "invalid" || error.kind === "limit" ? "unfit" : "not-stored", error };
}

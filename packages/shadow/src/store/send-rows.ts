import { settleUpdate, transactWrite } from "@tablekeep/client";
import { type DynamoErrorDetails, type Item, isDynamoError, type Outcome } from "@tablekeep/core";
import { isShadowError, ShadowError } from "../model/shadow-error.ts";
import { historyKeyNames } from "../rows/history-row.ts";
import type { RowId } from "../rows/row-keys.ts";
import { versionOf, writeIdAttribute } from "../rows/stored-row.ts";
import { updateRow } from "../rows/update-row.ts";
import { historyOf } from "./keep-history.ts";
import {
  type ActionRole,
  attributeVersion,
  keyNames,
  type RowWrite,
  transactionOf,
  versionAfter,
} from "./plan-write.ts";
import type { StoreCall } from "./store-options.ts";

/** An action whose condition failed, and the current item. */
export interface Obstacle extends ActionRole {
  readonly current: Item | undefined;
}

/** The result of one attempt of a write. `obstacles` is undefined for a conflict at an unknown item. */
export type Sent =
  | { readonly kind: "ok"; readonly versions: readonly number[] }
  | { readonly kind: "ended"; readonly outcome: Outcome<unknown> & { readonly kind: "rejected" | "unknown" } }
  | { readonly kind: "conflict"; readonly obstacles: readonly Obstacle[] | undefined };

/** Sends the items of a write: one update, or one transaction. */
export async function sendRows(call: StoreCall, rows: readonly RowWrite[]): Promise<Sent> {
  const [only] = rows;
  if (call.options.history !== undefined) return sendAll(call, rows);
  return rows.length === 1 && only?.step.mode === "update" ? sendUpdate(call, only) : sendAll(call, rows);
}

async function sendUpdate(call: StoreCall, { content, step, replaced }: RowWrite): Promise<Sent> {
  const { from, odd } = step.mode === "update" ? step : { from: undefined, odd: [] };
  const outcome = await settleUpdate(
    call.port,
    {
      ...updateRow(call.options.table, content, { from, odd, replaced }),
      ...(from === undefined && { ReturnValues: "ALL_NEW" as const }),
    },
    {
      writeIdAttribute,
      // Versions only increase: an older one does not return.
      appliesAtMostOnce: from !== undefined,
      attribution: (current) => attributeVersion(current, step),
      ...call.request(),
    },
  );
  if (outcome.kind === "ok") {
    const version = versionAfter(step);
    return version === undefined
      ? leftBy(content, outcome.value.attributes)
      : { kind: "ok", versions: [version] };
  }
  if (outcome.kind !== "conflict") return { kind: "ended", outcome };
  const shown =
    isDynamoError(outcome.error, "ConditionalCheckFailedException") || outcome.current !== undefined;
  return {
    kind: "conflict",
    obstacles: shown ? [{ role: "item", row: 0, current: outcome.current }] : undefined,
  };
}

/**
 * The outcome of an update that increments any version. No condition can check for an integer, so
 * that an invalid version shows only now, when the write is stored: its item is as damaged as before.
 */
function leftBy(row: RowId, attributes: Item = {}): Sent {
  try {
    return { kind: "ok", versions: [versionOf(attributes, row)] };
  } catch (error) {
    if (!isShadowError(error, "SHADOW_ITEM_CORRUPT")) throw error;
    const { message, details } = error;
    const damaged = new ShadowError("SHADOW_ITEM_CORRUPT", `${message}; the write is stored in it`, details, {
      ambiguous: true,
    });
    return { kind: "ended", outcome: { kind: "unknown", error: damaged } };
  }
}

async function sendAll(call: StoreCall, rows: readonly RowWrite[]): Promise<Sent> {
  const { table, refuseDuplicates, logger } = call.options;
  const history = historyOf(call);
  const { actions, roles } = transactionOf(table, rows, refuseDuplicates, history);
  const acting = (wanted: ActionRole["role"]) =>
    roles.flatMap(({ role }, at) => (role === wanted ? [at] : []));
  const [items, entries] = [acting("item"), acting("entry")];
  const outcome = await transactWrite(call.port, actions, {
    writeId: {
      attribute: writeIdAttribute,
      on: [...items, ...entries],
      keyNames: { [table]: keyNames, ...(history && { [history.table]: historyKeyNames }) },
    },
    attribution: (current, action) => {
      // An entry is never replaced: it always shows which write made its version.
      if (entries.includes(action)) return current === undefined ? "unclear" : "theirs";
      return items.includes(action)
        ? attributeVersion(current, rows[roles[action]?.row ?? 0]?.step)
        : "unclear";
    },
    logger,
    ...call.request(),
  });
  if (outcome.kind === "ok") return { kind: "ok", versions: rows.map(({ step }) => versionAfter(step) ?? 0) };
  if (outcome.kind !== "conflict") return { kind: "ended", outcome };
  return { kind: "conflict", obstacles: obstaclesOf(outcome.error, roles) };
}

/** Which actions of a cancelled transaction failed, and why. */
export function obstaclesOf(error: unknown, roles: readonly ActionRole[]): Obstacle[] | undefined {
  if (!isDynamoError(error, "TransactionCanceledException")) return undefined;
  const reasons = (error.details as DynamoErrorDetails).cancellationReasons ?? [];
  return roles.flatMap((role, at) => {
    const reason = reasons[at];
    return reason?.Code === "ConditionalCheckFailed" ? [{ ...role, current: reason.Item }] : [];
  });
}

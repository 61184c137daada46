import { checkPort, type DynamoPort, type Outcome, optionCheck } from "@tablekeep/core";
import { callOptionChecks, checkCall } from "../model/call-options.ts";
import { checkOptions, optionInvalid } from "../model/shadow-error.ts";
import { shadowText } from "../rows/row-keys.ts";
import { asTablekeepError, shadowIdOf } from "./check-operation.ts";
import { deleteShadow, needsRead, type PlannedDelete, planDelete } from "./delete-shadow.ts";
import { readDeletedVersion } from "./deleted-version.ts";
import { type FetchedRows, fetchRows, inParallel } from "./fetch-rows.ts";
import { findDuplicates, listShadows } from "./list-shadows.ts";
import { readShadows } from "./read-shadows.ts";
import type { DeleteOperation, OperationResult, ShadowOperation, Shadows, WrittenShadow } from "./shadows.ts";
import {
  beginCall,
  resolveShadowsOptions,
  type ShadowsOptions,
  type StoreCall,
  type StoreContext,
} from "./store-options.ts";
import { HistoryTrims } from "./trim-history.ts";
import { writeShadow } from "./write-shadow.ts";

/**
 * Opens the shadows in a table that exists.
 *
 * @example
 * const shadows = openShadows(port, { table: "things" });
 * await shadows.write([{ id: "lamp", reported: { on: false }, desired: { on: true }, version: 0 }]);
 * const [lamp] = await shadows.read([{ id: "lamp" }]);
 */
export function openShadows(port: DynamoPort, options: ShadowsOptions = {}): Shadows {
  checkPort(port, optionInvalid);
  const context: StoreContext = { port, options: resolveShadowsOptions(options) };
  const { history } = context.options;
  const trims = history && new HistoryTrims(context, history);
  return {
    model: context.options.model,
    async read(operations, { atomic, ...given } = {}) {
      checkOptions({ atomic, ...given }, readOptionChecks);
      return readShadows(beginCall(context, given), operations, atomic ?? false);
    },
    async write(operations, given = {}) {
      checkCall(given);
      const call = beginCall(context, given);
      return eachShadowInOrder(call, operations, async (operation) => {
        const outcome = await writeShadow(call, operation);
        // A history requires the combined model, in which both halves have one version.
        if (outcome.kind === "ok")
          trims?.written(shadowIdOf(operation), outcome.value.versions.reported ?? 0);
        return outcome;
      });
    },
    async delete(operations, given = {}) {
      checkCall(given);
      return deleteAll(beginCall(context, given), operations);
    },
    async deletedVersion(shadow, given = {}) {
      checkCall(given);
      return readDeletedVersion(beginCall(context, given), shadow);
    },
    async list(given = {}) {
      return listShadows(beginCall(context, given), given);
    },
    async duplicates(id, given = {}) {
      checkCall(given);
      return findDuplicates(beginCall(context, given), id);
    },
    async settle() {
      await trims?.settle();
    },
  };
}

const readOptionChecks = { ...callOptionChecks, atomic: optionCheck.boolean };

/**
 * Runs the operations of one call, and returns their results in order. Shadows are worked on in parallel, but the operations
 * on one shadow run in order: `[write version 1, write version 2]` must not depend on `maxParallelism`. No operation
 * outlives the call, and calls do not wait for each other: the one queue of a shadow is the manager's.
 */
async function eachShadowInOrder<Operation extends ShadowOperation, Value>(
  call: StoreCall,
  operations: readonly Operation[],
  run: (operation: Operation, at: number) => Promise<Outcome<Value>>,
): Promise<OperationResult<Value>[]> {
  const [only] = operations;
  if (only !== undefined && operations.length === 1)
    return [{ ...shadowIdOf(only), outcome: await run(only, 0) }];
  const results: OperationResult<Value>[] = [];
  const byShadow = new Map<string, (() => Promise<void>)[]>();
  for (const [at, operation] of operations.entries()) {
    const shadow = shadowIdOf(operation);
    const steps = byShadow.get(shadowText(shadow)) ?? [];
    byShadow.set(shadowText(shadow), steps);
    steps.push(async () => {
      results[at] = { ...shadow, outcome: await run(operation, at) };
    });
  }
  const tasks = [...byShadow.values()].map((steps) => () => inParallel(steps, 1));
  await inParallel(tasks, call.options.maxParallelism);
  return results;
}

async function deleteAll(
  call: StoreCall,
  operations: readonly DeleteOperation[],
): Promise<OperationResult<WrittenShadow>[]> {
  const plans = operations.map((operation): PlannedDelete | Outcome<never> => {
    try {
      return planDelete(call, operation);
    } catch (error) {
      return { kind: "rejected", error: asTablekeepError(error) };
    }
  });
  const hasHistory = call.options.history !== undefined;
  const unread = plans.flatMap((plan) => ("rows" in plan && needsRead(plan, hasHistory) ? [plan] : []));
  const read: FetchedRows = await fetchRows(
    call,
    unread.flatMap(({ rows }) => rows),
    call.options.maxWriteBatchSize,
  );
  return eachShadowInOrder(call, operations, async (_, at) => {
    const plan = plans[at] as PlannedDelete | Outcome<never>;
    return "rows" in plan ? deleteShadow(call, plan, needsRead(plan, hasHistory) ? read : undefined) : plan;
  });
}

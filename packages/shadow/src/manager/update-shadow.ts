import { backoffMs } from "@tablekeep/client";
import { type Clock, type Outcome, type Random, sleep, type TablekeepError } from "@tablekeep/core";
import { toAttribute } from "../document/attribute-value.ts";
import type { CallTime, ShadowCallOptions } from "../model/call-options.ts";
import { type Half, isShadowError } from "../model/shadow-error.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import { asTablekeepError, contention } from "../store/check-operation.ts";
import type { OperationResult, Shadow, Shadows, WriteOperation } from "../store/shadows.ts";
import { type AppliedRequest, applyRequest, checkExpected, type Sections } from "./apply-request.ts";
import { checkDepth, checkState, checkStateSize, type ResolvedManagerOptions } from "./manager-options.ts";
import type { ShadowUpdate, UpdateRequest } from "./shadow-manager.ts";
import { sectionOf, viewFrom, viewOf } from "./shadow-view.ts";

/** What the parts of a manager depend on. */
export interface ManagerContext {
  readonly shadows: Shadows;
  readonly options: ResolvedManagerOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly deadlineMs: number;
}

/** Reads a shadow, merges a request into it and writes it, again if others write in between. */
export async function updateShadow(
  context: ManagerContext,
  shadow: ShadowId,
  request: UpdateRequest,
  time: CallTime,
): Promise<Outcome<ShadowUpdate>> {
  const { limits, maxConflictRetries } = context.options;
  try {
    for (const half of ["reported", "desired"] as const) checkDepth(request[half], limits.depth);
    for (let retry = 0; ; retry++) {
      const outcome = await attempt(context, shadow, request, time);
      if (!isOvertaken(outcome) || request.version !== undefined) return outcome;
      const waitMs = backoffMs(retry, context.random);
      // A wait that would outlast the deadline is not begun.
      if (retry >= maxConflictRetries || waitMs >= time.leftMs())
        return { kind: "conflict", error: contention(shadow, 1 + retry) };
      // After an abort, the next request rejects.
      const { signal } = time.remaining();
      await sleep(context.clock, waitMs, signal).catch(() => undefined);
    }
  } catch (error) {
    return { kind: "rejected", error: asTablekeepError(error) };
  }
}

/** Whether another write came between reading and writing: also one that deleted the shadow. */
function isOvertaken(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === "conflict") return !isShadowError(outcome.error, "SHADOW_DUPLICATE_MODEL");
  return outcome.kind === "rejected" && isShadowError(outcome.error, "SHADOW_NOT_FOUND");
}

/**
 * Returns why a request would be rejected by the shadow as it is now; undefined if it would be accepted. Writes nothing.
 */
export async function checkUpdate(
  context: ManagerContext,
  shadow: ShadowId,
  request: UpdateRequest,
  time: CallTime,
): Promise<TablekeepError | undefined> {
  const { limits, policy } = context.options;
  try {
    for (const half of ["reported", "desired"] as const) checkDepth(request[half], limits.depth);
    const stored = await readShadow(context.shadows, shadow, time.remaining());
    const conflict = checkExpected(shadow, stored, request, policy);
    if (conflict?.kind === "conflict") return conflict.error;
    const { applied } = mergeRequest(context, shadow, stored, request);
    for (const half of both) toAttribute(applied[half].state ?? null);
    return undefined;
  } catch (error) {
    const problem = asTablekeepError(error);
    if (problem.kind === "invalid" || problem.kind === "limit") return problem;
    throw problem;
  }
}

/** Merges a request into the stored shadow. Throws if the result is not allowed. */
function mergeRequest(
  context: ManagerContext,
  shadow: ShadowId,
  stored: Shadow | undefined,
  request: UpdateRequest,
): { readonly before: Sections; readonly applied: AppliedRequest } {
  const { policy, acknowledgePlain, limits, validate } = context.options;
  const now = context.clock.now();
  const seconds = policy === "aws" ? Math.floor(now / 1000) : (request.timestamp ?? now) / 1000;
  const before = { reported: sectionOf(stored, "reported"), desired: sectionOf(stored, "desired") };
  const applied = applyRequest(before, request, {
    policy,
    acknowledgePlain,
    seconds,
    isNow: request.timestamp === undefined,
  });
  const { desired, reported } = applied;
  checkStateSize(shadow, [desired.state, reported.state], limits.stateBytes);
  checkState(shadow, { desired: desired.state, reported: reported.state }, validate);
  return { before, applied };
}

async function attempt(
  context: ManagerContext,
  shadow: ShadowId,
  request: UpdateRequest,
  time: CallTime,
): Promise<Outcome<ShadowUpdate>> {
  const stored = await readShadow(context.shadows, shadow, time.remaining());
  const conflict = checkExpected(shadow, stored, request, context.options.policy);
  if (conflict !== undefined) return conflict;
  const { before, applied } = mergeRequest(context, shadow, stored, request);
  const previous = stored === undefined ? undefined : viewOf(stored, before);
  const halves = halvesToWrite(
    context,
    stored,
    request.timestamp === undefined ? undefined : before,
    applied,
  );
  if (halves.length === 0 && previous !== undefined)
    return { kind: "ok", value: { previous, current: previous, changes: applied.changes, written: false } };
  const write = writeOf(shadow, stored, applied, halves, request.clientToken ?? "");
  const [result] = await context.shadows.write([write], time.remaining());
  const outcome = soleOutcome(result);
  if (outcome.kind !== "ok") return outcome;
  const { versions, timeStamp } = outcome.value;
  const current = viewFrom(shadow, {
    ...applied,
    versions: { ...previous?.versions, ...versions },
    timeStamp,
    clientToken: request.clientToken ?? "",
  });
  const { changes } = applied;
  return { kind: "ok", value: { ...(previous && { previous }), current, changes, written: true } };
}

/** The stored shadow; undefined if there is none. With `atomic`, separate halves are read as of one moment. */
export async function readShadow(
  shadows: Shadows,
  shadow: ShadowId,
  call: ShadowCallOptions,
  atomic = false,
): Promise<Shadow | undefined> {
  const [result] = await shadows.read([shadow], { ...call, atomic });
  const outcome = soleOutcome(result);
  if (outcome.kind === "ok") return outcome.value;
  if (isShadowError(outcome.error, "SHADOW_NOT_FOUND")) return undefined;
  throw outcome.error;
}

/** The outcome of the only operation of a call. */
export function soleOutcome<Value>(result: OperationResult<Value> | undefined): Outcome<Value> {
  if (result === undefined) throw new TypeError("a call of one operation has one result");
  return result.outcome;
}

const both: readonly Half[] = ["reported", "desired"];

/**
 * AWS has one version for both halves, so that both are written; otherwise only what changed, if possible. If
 * messages have times, a newer time is a change (`before` is given): it protects the value from late ones.
 */
function halvesToWrite(
  { shadows, options }: ManagerContext,
  stored: Shadow | undefined,
  before: Sections | undefined,
  applied: AppliedRequest,
): readonly Half[] {
  if (options.policy === "aws" || stored === undefined) return both;
  const isNewer = (half: Half) =>
    before !== undefined && JSON.stringify(before[half].metadata) !== JSON.stringify(applied[half].metadata);
  const changed = both.filter(
    (half) =>
      applied.changes.some((each) => each.half === half && each.kind !== "unchanged") || isNewer(half),
  );
  return shadows.model === "combined" && changed.length > 0 ? both : changed;
}

/** The write that follows: only from the versions that were read. */
function writeOf(
  shadow: ShadowId,
  stored: Shadow | undefined,
  applied: AppliedRequest,
  halves: readonly Half[],
  clientToken: string,
): WriteOperation {
  const of = <Value>(value: (half: Half) => Value) =>
    Object.fromEntries(halves.map((half) => [half, value(half)]));
  const times = of((half) => applied[half].metadata);
  return {
    ...shadow,
    ...of((half) => applied[half].state ?? null),
    version: of((half) => stored?.[half]?.version ?? 0),
    clientToken,
    metadata: Object.fromEntries(Object.entries(times).filter(([, metadata]) => metadata !== undefined)),
  };
}

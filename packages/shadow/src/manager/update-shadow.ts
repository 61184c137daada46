import { backoffMs } from "@tablekeep/client";
import { type Clock, type Outcome, type Random, sleep, type TablekeepError } from "@tablekeep/core";
import { toAttribute } from "../document/document-attributes.ts";
import type { DocumentValue } from "../document/document-value.ts";
import type { MetadataObject } from "../merge/metadata.ts";
import type { CallTime, ShadowCallOptions } from "../model/call-options.ts";
import { type Half, isShadowError } from "../model/shadow-error.ts";
import type { ShadowId } from "../rows/row-keys.ts";
import { asTablekeepError, contention, shadowIdOf } from "../store/check-operation.ts";
import type { OperationResult, Shadow, Shadows, WriteOperation } from "../store/shadows.ts";
import { type AppliedRequest, applyRequest, checkExpected, type Sections } from "./apply-request.ts";
import { checkDepth, checkState, checkStateSize, type ResolvedManagerOptions } from "./manager-options.ts";
import type { RecentShadows } from "./recent-shadows.ts";
import type { ShadowUpdate, UpdateRequest } from "./shadow-manager.ts";
import { sectionOf, viewFrom, viewOf } from "./shadow-view.ts";

/** Dependencies of the parts of a manager. */
export interface ManagerContext {
  readonly shadows: Shadows;
  readonly options: ResolvedManagerOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly deadlineMs: number;
  /** Undefined if every update reads: for separate halves, and for shadows with a history. */
  readonly recent: RecentShadows | undefined;
}

/** Reads a shadow, merges a request into it and writes it. Starts over if others write in between. */
export async function updateShadow(
  context: ManagerContext,
  shadow: ShadowId,
  request: UpdateRequest,
  time: CallTime,
): Promise<Outcome<ShadowUpdate>> {
  const { limits, maxConflictRetries } = context.options;
  try {
    for (const half of ["reported", "desired"] as const) checkDepth(request[half], limits.depth);
    const unread = await attemptUnread(context, shadow, request, time);
    if (unread !== undefined) return unread;
    for (let retry = 0; ; retry++) {
      const outcome = await attempt(context, shadow, request, time);
      if (!isOvertaken(outcome) || request.version !== undefined) return outcome;
      const waitMs = backoffMs(retry, context.random);
      // A wait that would outlast the deadline is not started.
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

/** Whether another write, or a delete, came between reading and writing. */
function isOvertaken(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === "conflict") return !isShadowError(outcome.error, "SHADOW_DUPLICATE_MODEL");
  return outcome.kind === "rejected" && isShadowError(outcome.error, "SHADOW_NOT_FOUND");
}

/**
 * Returns why the current shadow would reject a request; undefined if it would accept it. Writes nothing.
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

/** A request that was merged into a shadow. */
interface MergedRequest {
  readonly before: Sections;
  readonly applied: AppliedRequest;
  /** The halves to write. */
  readonly halves: readonly Half[];
}

/** Merges a request into the stored shadow. Throws if the result is not allowed. */
function mergeRequest(
  context: ManagerContext,
  shadow: ShadowId,
  stored: Shadow | undefined,
  request: UpdateRequest,
): MergedRequest {
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
  const timed = request.timestamp === undefined ? undefined : before;
  return { before, applied, halves: halvesToWrite(context, stored, timed, applied) };
}

/**
 * Updates a shadow that this manager wrote last, without reading it. Returns undefined if it has to be read: it is unknown, has
 * changed since, or the request would be rejected or change nothing, which only the stored shadow can show.
 */
async function attemptUnread(
  context: ManagerContext,
  shadow: ShadowId,
  request: UpdateRequest,
  time: CallTime,
): Promise<Outcome<ShadowUpdate> | undefined> {
  const stored = request.version === undefined ? context.recent?.get(shadow) : undefined;
  if (stored === undefined) return undefined;
  let merged: MergedRequest;
  try {
    merged = mergeRequest(context, shadow, stored, request);
  } catch {
    return undefined;
  }
  if (merged.halves.length === 0) return undefined;
  const outcome = await writeMerged(context, stored, merged, time, {
    ...writeOf(shadow, stored, merged, request),
    version: undefined,
    replaces: stored,
  });
  return isOvertaken(outcome) ? undefined : outcome;
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
  const merged = mergeRequest(context, shadow, stored, request);
  if (merged.halves.length === 0 && stored !== undefined) {
    const current = viewOf(stored, merged.before);
    const { changes } = merged.applied;
    return { kind: "ok", value: { previous: current, current, changes, written: false } };
  }
  return writeMerged(context, stored, merged, time, writeOf(shadow, stored, merged, request));
}

/** Writes a merged request, and remembers the shadow for the next update. */
async function writeMerged(
  { shadows, recent }: ManagerContext,
  stored: Shadow | undefined,
  { before, applied }: MergedRequest,
  time: CallTime,
  write: WriteOperation,
): Promise<Outcome<ShadowUpdate>> {
  const [result] = await shadows.write([write], time.remaining());
  const outcome = soleOutcome(result);
  const shadow = shadowIdOf(write);
  if (outcome.kind !== "ok") {
    if (isOvertaken(outcome)) recent?.overtaken(shadow);
    else recent?.forget(shadow);
    return outcome;
  }
  const { timeStamp } = outcome.value;
  const { clientToken = "" } = write;
  const previous = stored === undefined ? undefined : viewOf(stored, before);
  const versions = { ...previous?.versions, ...outcome.value.versions };
  const current = viewFrom(shadow, { ...applied, versions, timeStamp, clientToken });
  if (recent !== undefined) {
    const written = { version: current.version, timeStamp, clientToken };
    recent.written({
      ...shadow,
      model: "combined",
      reported: { value: write.reported ?? null, ...written },
      desired: { value: write.desired ?? null, ...written },
      metadata: write.metadata ?? {},
    });
  }
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

/** The outcome of a call with a single operation. */
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

/** The resulting write, conditional on the versions that were read. */
function writeOf(
  shadow: ShadowId,
  stored: Shadow | undefined,
  { applied, halves }: MergedRequest,
  { clientToken = "" }: UpdateRequest,
): WriteOperation {
  const states: Partial<Record<Half, DocumentValue>> = {};
  const version: Partial<Record<Half, number>> = {};
  const metadata: Partial<Record<Half, MetadataObject>> = {};
  for (const half of halves) {
    const { state, metadata: times } = applied[half];
    states[half] = state ?? null;
    version[half] = stored?.[half]?.version ?? 0;
    if (times !== undefined) metadata[half] = times;
  }
  return { ...shadow, ...states, version, clientToken, metadata };
}

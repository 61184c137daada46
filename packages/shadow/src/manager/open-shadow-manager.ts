import {
  type DynamoPort,
  type OptionChecks,
  type Outcome,
  optionCheck,
  silentLogger,
  systemClock,
  systemRandom,
} from "@tablekeep/core";
import { readConnectivity } from "../connectivity/read-connectivity.ts";
import { openGroups } from "../groups/open-groups.ts";
import { type CallTime, checkCall, type ShadowCallOptions, startCall } from "../model/call-options.ts";
import { checkOptions } from "../model/shadow-error.ts";
import { type ShadowId, shadowText } from "../rows/row-keys.ts";
import { anything, asTablekeepError, operationInvalid, shadowIdOf } from "../store/check-operation.ts";
import { openShadows } from "../store/open-shadows.ts";
import { beginCall, resolveShadowsOptions, type ShadowsOptions } from "../store/store-options.ts";
import { type ChangeFeed, changeFeed } from "./change-feed.ts";
import { resolveManagerOptions, type ShadowManagerOptions } from "./manager-options.ts";
import { shadowHistory } from "./read-history.ts";
import { RecentShadows } from "./recent-shadows.ts";
import { searchShadows } from "./search-shadows.ts";
import type {
  DeleteRequest,
  ShadowDeletion,
  ShadowManager,
  ShadowUpdate,
  UpdateRequest,
} from "./shadow-manager.ts";
import { viewOf } from "./shadow-view.ts";
import { checkUpdate, type ManagerContext, readShadow, soleOutcome, updateShadow } from "./update-shadow.ts";

const requestChecks: OptionChecks<UpdateRequest> = {
  id: optionCheck.string,
  name: optionCheck.string,
  reported: (value) =>
    typeof value === "object" && !Array.isArray(value) ? undefined : "must be an object or null",
  desired: (value) =>
    typeof value === "object" && !Array.isArray(value) ? undefined : "must be an object or null",
  version: anything,
  clientToken: optionCheck.string,
  timestamp: optionCheck.integer(0),
};

/**
 * Opens a manager of the shadows in a table that exists.
 *
 * @example
 * const manager = openShadowManager(port, { table: "things" });
 * await manager.desire({ id: "lamp", state: { on: true } });
 * const { delta } = (await manager.get({ id: "lamp" })) ?? {};
 */
export function openShadowManager(
  port: DynamoPort,
  storeOptions: ShadowsOptions = {},
  options: ShadowManagerOptions = {},
): ShadowManager {
  const logger = storeOptions.logger ?? silentLogger;
  const store = { port, options: resolveShadowsOptions(storeOptions) };
  const clock = storeOptions.clock ?? systemClock;
  const readsAlways = store.options.model !== "combined" || store.options.history !== undefined;
  const context: ManagerContext = {
    shadows: openShadows(port, storeOptions),
    options: resolveManagerOptions(options),
    clock,
    random: storeOptions.random ?? systemRandom,
    deadlineMs: storeOptions.deadlineMs ?? 10_000,
    recent: readsAlways ? undefined : new RecentShadows(clock),
  };
  const feed = changeFeed((error) =>
    logger.error("a listener to shadow changes failed", {
      error: error instanceof Error ? error.name : "unknown",
    }),
  );
  // Concurrent requests for one shadow would only conflict with each other.
  const turn = shadowQueue();
  const history = shadowHistory(store, async (shadow, call) => {
    const stored = await readShadow(context.shadows, shadow, call);
    return stored && viewOf(stored);
  });
  /** The wait in the queue counts towards the deadline. */
  const started = (call: ShadowCallOptions) => {
    checkCall(call);
    return startCall(context.clock, call, context.deadlineMs);
  };
  const update = async (request: UpdateRequest, call: ShadowCallOptions = {}) => {
    const time = started(call);
    return turn(shadowText(shadowIdOf(request)), time, () => runUpdate(context, feed, request, time));
  };
  return {
    policy: context.options.policy,
    limits: context.options.limits,
    shadows: context.shadows,
    async get(shadow, call = {}) {
      checkCall(call);
      const atomic = context.shadows.model === "separate";
      const stored = await readShadow(context.shadows, shadowIdOf(shadow), call, atomic);
      return stored === undefined ? undefined : viewOf(stored);
    },
    report: ({ state, ...request }, call) => update({ ...request, reported: state }, call),
    desire: ({ state, ...request }, call) => update({ ...request, desired: state }, call),
    update,
    async check(request, call = {}) {
      const shadow = shadowIdOf(request);
      const time = started(call);
      checkRequest(shadow, request);
      return checkUpdate(context, shadow, request, time);
    },
    async delete(request, call = {}) {
      const time = started(call);
      return turn(shadowText(shadowIdOf(request)), time, () => runDelete(context, feed, request, time));
    },
    ...history,
    list: (given) => context.shadows.list(given),
    search: (request, call = {}) => searchShadows(store, request, call),
    async connectivity(things, call = {}) {
      checkCall(call);
      return readConnectivity(beginCall(store, call), things);
    },
    groups: openGroups(store),
    onChange: (listener, filter) => feed.listen(listener, filter),
    watch: (filter, given) => feed.watch(filter, given),
  };
}

async function runUpdate(
  context: ManagerContext,
  feed: ChangeFeed,
  request: UpdateRequest,
  time: CallTime,
): Promise<Outcome<ShadowUpdate>> {
  const shadow = shadowIdOf(request);
  try {
    checkRequest(shadow, request);
  } catch (error) {
    return { kind: "rejected", error: asTablekeepError(error) };
  }
  const outcome = await updateShadow(context, shadow, request, time);
  if (outcome.kind === "ok" && outcome.value.written) {
    const { version } = outcome.value.current;
    feed.publish({ ...shadow, kind: "updated", version, update: outcome.value });
  }
  return outcome;
}

function checkRequest(shadow: ShadowId, request: UpdateRequest): void {
  checkOptions(request, requestChecks);
  if (request.reported === undefined && request.desired === undefined)
    throw operationInvalid(shadow, "a request needs reported or desired");
}

async function runDelete(
  context: ManagerContext,
  feed: ChangeFeed,
  request: DeleteRequest,
  time: CallTime,
): Promise<Outcome<ShadowDeletion>> {
  const shadow = shadowIdOf(request);
  try {
    const [result] = await context.shadows.delete([request], time.remaining());
    const outcome = soleOutcome(result);
    if (outcome.kind !== "ok") return outcome;
    context.recent?.forget(shadow);
    const { versions, timeStamp } = outcome.value;
    const deletion = { version: Math.max(versions.reported ?? 0, versions.desired ?? 0), timeStamp };
    feed.publish({ ...shadow, kind: "deleted", version: deletion.version, deletion });
    return { kind: "ok", value: deletion };
  } catch (error) {
    return rejected(error);
  }
}

type Work<Value> = () => Promise<Outcome<Value>>;

/**
 * Runs work on the same shadow sequentially, and work on different shadows concurrently. Work whose deadline passes before its
 * turn is rejected, and never run.
 */
function shadowQueue(): <Value>(key: string, time: CallTime, work: Work<Value>) => Promise<Outcome<Value>> {
  const lines = new Map<string, Promise<void>>();
  return (key, time, work) => {
    const before = lines.get(key);
    const own = before === undefined ? work() : time.waitFor(before).then(work, rejected);
    // A request that stops waiting leaves the queue; later ones still wait for the ones before it.
    const end = () => {
      if (lines.get(key) === line) lines.delete(key);
    };
    const line = (before === undefined ? own : Promise.allSettled([before, own])).then(end, end);
    lines.set(key, line);
    return own;
  };
}

function rejected(error: unknown): Outcome<never> {
  return { kind: "rejected", error: asTablekeepError(error) };
}

import { checkPort, type DynamoPort, isTablekeepError } from "@tablekeep/core";
import type { ShadowManager } from "../manager/shadow-manager.ts";
import type { ShadowView } from "../manager/shadow-view.ts";
import { checkCall, type ShadowCallOptions } from "../model/call-options.ts";
import { isShadowError, optionInvalid } from "../model/shadow-error.ts";
import {
  beginCall,
  resolveShadowsOptions,
  type ShadowsOptions,
  type StoreCall,
} from "../store/store-options.ts";
import { type CurrentSide, planSync, type SyncBase, type SyncPlan } from "./plan-sync.ts";
import type {
  CloudShadow,
  CloudShadows,
  ShadowSync,
  SyncRequest,
  SyncResult,
  SyncStatus,
} from "./shadow-sync.ts";
import { listSyncs, readSync, removeSync, type StoredSync, writeSync } from "./sync-items.ts";
import { isSameState, plainState, type StatePatch, type SyncedState, samePatch } from "./three-way-merge.ts";

/** How often a sync begins again when others write in between. */
const maxAttempts = 8;
/** The maximum number of requests of one sync: each attempt makes about ten at most. */
const syncMs = 60_000;

/**
 * Opens the sync of a manager's shadows with those of a cloud. The manager must follow AWS's policy and store both halves in one item.
 *
 * @example
 * const sync = openShadowSync(port, manager, cloud, { table: "things" });
 * await sync.sync({ id: "lamp", name: "" });
 */
export function openShadowSync(
  port: DynamoPort,
  manager: ShadowManager,
  cloud: CloudShadows,
  storeOptions: ShadowsOptions = {},
): ShadowSync {
  checkPort(port, optionInvalid);
  const options = resolveShadowsOptions(storeOptions);
  if (manager.policy !== "aws")
    throw optionInvalid(
      "policy",
      "must be aws to sync: under acknowledge, reported values remove desired ones",
    );
  if (options.model !== "combined") throw optionInvalid("model", "must be combined to sync");
  const begin = (call: ShadowCallOptions) => {
    checkCall(call);
    return beginCall({ port, options }, { deadlineMs: syncMs, ...call });
  };
  return {
    sync: async (request, call = {}) => new Sync(begin(call), manager, cloud, request).run(),
  };
}

/**
 * Returns the stored state of the shadows that were synced with a cloud. The name of the cloud is the host of its endpoint.
 *
 * @example
 * for await (const { id, name, problem } of readSyncStatuses(port, "example-ats.iot.eu-central-1.amazonaws.com"))
 *   if (problem !== undefined) console.log(id, name, problem);
 */
export async function* readSyncStatuses(
  port: DynamoPort,
  cloud: string,
  storeOptions: ShadowsOptions = {},
  call: ShadowCallOptions = {},
): AsyncGenerator<SyncStatus> {
  checkCall(call);
  const begun = beginCall(
    { port, options: resolveShadowsOptions(storeOptions) },
    { deadlineMs: syncMs, ...call },
  );
  for await (const { id, name, base, syncedAt, problem } of listSyncs(begun, cloud))
    yield {
      id,
      name,
      localVersion: base?.local ?? 0,
      cloudVersion: base?.cloud ?? 0,
      ...(syncedAt !== undefined && { syncedAt }),
      ...(problem !== undefined && { problem }),
    };
}

/** Somebody else has written in between. */
const again = Symbol("again");

/** One sync of one shadow. */
class Sync {
  readonly #call: StoreCall;
  readonly #manager: ShadowManager;
  readonly #cloud: CloudShadows;
  readonly #request: SyncRequest;
  readonly #shadow: { readonly id: string; readonly name: string };
  #conflicts = 0;
  #hasWritten = false;
  #stored: StoredSync | undefined;
  /** The revision that this sync has stored last. */
  #ownRevision: number | undefined;

  constructor(call: StoreCall, manager: ShadowManager, cloud: CloudShadows, request: SyncRequest) {
    this.#call = call;
    this.#manager = manager;
    this.#cloud = cloud;
    this.#request = request;
    this.#shadow = { id: request.id, name: request.name };
  }

  async run(): Promise<SyncResult> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      try {
        const result = await this.#attempt();
        if (result !== again) return result;
      } catch (error) {
        const problem = problemOf(error);
        if (problem === undefined) throw error;
        return this.#rejected(problem);
      }
    }
    return { kind: "busy", conflicts: this.#conflicts };
  }

  async #attempt(): Promise<SyncResult | typeof again> {
    const { direction = "both", conflicts: rule = "cloud", onlyIfChangedHere, retry } = this.#request;
    this.#stored = await readSync(this.#call, this.#cloud.name, this.#shadow);
    const { base, problem } = this.#stored ?? {};
    const view = await this.#manager.get(this.#shadow, this.#options());
    const isAsSynced =
      base !== undefined && base.pending === undefined && base.local === (view?.version ?? 0);
    if (onlyIfChangedHere && isAsSynced && problem === undefined) return this.#done();
    const cloud = await this.#cloud.get(this.#shadow, this.#options());
    if (
      base?.pending &&
      this.#stored?.revision !== this.#ownRevision &&
      (await this.#fence(base, view, cloud))
    )
      return again;
    const isAsRejected = base?.local === (view?.version ?? 0) && base.cloud === (cloud?.version ?? 0);
    if (problem !== undefined && isAsRejected && !retry)
      return { kind: "rejected", conflicts: this.#conflicts, problem };
    const sides = { local: sideOf(view), cloud: cloud && { ...cloud, state: plainState(cloud.state) } };
    const plan = planSync({ base, ...sides, direction, rule });
    if (plan.kind === "delete") return this.#delete(plan.side, view);
    if (plan.kind === "done") return this.#finish(plan.agreed, view?.version ?? 0, cloud?.version ?? 0);
    this.#conflicts += plan.conflicts;
    return this.#write(plan, view, cloud);
  }

  /**
   * Another process has stored an intention and may still have a write in flight. If its version is still the current one, an
   * update that changes nothing raises it, so that the write fails, or was faster and is found. Returns whether the sides have to be read again.
   */
  async #fence(
    base: SyncBase,
    view: ShadowView | undefined,
    cloud: CloudShadow | undefined,
  ): Promise<boolean> {
    const { agreed, pending = {} } = base;
    const mayCome = (before: SyncedState | undefined) => before !== undefined && !isSameState(before, agreed);
    const isLocal = view?.version === base.local && mayCome(pending.local);
    const isCloud = cloud?.version === base.cloud && mayCome(pending.cloud);
    if (isLocal) await this.#writeHere({}, base.local);
    if (isCloud) await this.#cloud.update(this.#shadow, samePatch(cloud.state), base.cloud, this.#options());
    return isLocal || isCloud;
  }

  /** The intention is stored before either side is written, so that the next sync can distinguish its own writes from changes by others. */
  async #write(
    plan: SyncPlan & { readonly kind: "write" },
    view: ShadowView | undefined,
    cloud: CloudShadow | undefined,
  ): Promise<SyncResult | typeof again> {
    const { agreed } = plan;
    const isBoth = (this.#request.direction ?? "both") === "both";
    const versions = { local: view?.version ?? 0, cloud: cloud?.version ?? 0 };
    const pending = {
      ...(view && { local: plainState(view.state) }),
      ...(cloud && { cloud: plainState(cloud.state) }),
    };
    if (isBoth && !(await this.#save({ agreed, ...versions, pending }))) return again;
    if (plan.cloud !== undefined) {
      const written = await this.#cloud.update(this.#shadow, plan.cloud, cloud?.version, this.#options());
      if (written === undefined) return again;
      this.#hasWritten = true;
      versions.cloud = written;
      // A creation is not conditional, so another one may have been merged with it: the next attempt reads the result.
      if (cloud === undefined && isBoth) versions.cloud = 0;
    }
    if (plan.local !== undefined) {
      const written = await this.#writeHere(plan.local, versions.local);
      if (written === undefined) {
        // The cloud certainly has the agreed state, so any other state is a later change.
        if (isBoth && plan.cloud !== undefined)
          await this.#save({ agreed, ...versions, pending: { ...pending, cloud: agreed } });
        return again;
      }
      this.#hasWritten = true;
      versions.local = written;
    }
    if (cloud === undefined && plan.cloud !== undefined && isBoth) {
      await this.#save({ agreed, ...versions });
      return again;
    }
    return this.#finish(agreed, versions.local, versions.cloud);
  }

  /** Returns the new version; undefined if the shadow does not have the expected one. */
  async #writeHere(patch: StatePatch, version: number): Promise<number | undefined> {
    const request = { ...this.#shadow, desired: {}, ...patch, version };
    const outcome = await this.#manager.update(request, this.#options());
    if (outcome.kind === "ok") return outcome.value.current.version;
    if (isOvertaken(outcome)) return undefined;
    throw outcome.error;
  }

  async #delete(side: "local" | "cloud", view: ShadowView | undefined): Promise<SyncResult | typeof again> {
    this.#hasWritten = true;
    if (side === "cloud") await this.#cloud.delete(this.#shadow, this.#options());
    else {
      const outcome = await this.#manager.delete(
        { ...this.#shadow, version: view?.version },
        this.#options(),
      );
      if (outcome.kind !== "ok" && !isOvertaken(outcome)) throw outcome.error;
    }
    // Read again, because another process may have created it.
    return again;
  }

  async #finish(
    agreed: SyncBase["agreed"] | undefined,
    local: number,
    cloud: number,
  ): Promise<SyncResult | typeof again> {
    const stored = this.#stored;
    if (agreed === undefined) {
      if (stored !== undefined && !(await removeSync(this.#call, this.#cloud.name, stored))) return again;
      return this.#done();
    }
    const { base, problem } = stored ?? {};
    const isStored = base?.local === local && base.cloud === cloud && base.pending === undefined;
    if (isStored && problem === undefined) return this.#done();
    return (await this.#save({ agreed, local, cloud })) ? this.#done() : again;
  }

  #done(): SyncResult {
    return { kind: this.#hasWritten ? "synced" : "same", conflicts: this.#conflicts };
  }

  /** The versions show when a retry is worthwhile. */
  async #rejected(problem: string): Promise<SyncResult> {
    const { base, problem: known, syncedAt } = this.#stored ?? {};
    if (known !== problem)
      await writeSync(
        this.#call,
        this.#cloud.name,
        { ...this.#shadow, base, problem, ...(syncedAt !== undefined && { syncedAt }) },
        this.#stored,
      );
    return { kind: "rejected", conflicts: this.#conflicts, problem };
  }

  async #save(base: SyncBase): Promise<boolean> {
    const isSynced = base.pending === undefined;
    const syncedAt = isSynced ? this.#call.options.clock.now() : this.#stored?.syncedAt;
    const next = { ...this.#shadow, base, ...(syncedAt !== undefined && { syncedAt }) };
    if (!(await writeSync(this.#call, this.#cloud.name, next, this.#stored))) return false;
    this.#stored = { ...next, revision: (this.#stored?.revision ?? 0) + 1 };
    this.#ownRevision = this.#stored.revision;
    return true;
  }

  #options(): ShadowCallOptions {
    const { signal, deadlineMs } = this.#call.request();
    // A single request must not use the time of all.
    return { signal, deadlineMs: Math.min(deadlineMs, 10_000) };
  }
}

function sideOf(view: ShadowView | undefined): CurrentSide {
  return view && { state: plainState(view.state), times: view.metadata, version: view.version };
}

function isOvertaken(outcome: { readonly kind: string; readonly error?: unknown }): boolean {
  return outcome.kind === "conflict" || isShadowError(outcome.error, "SHADOW_NOT_FOUND");
}

/** The reason why one side will reject the state of the other again; undefined for anything that may succeed. */
function problemOf(error: unknown): string | undefined {
  if (!isTablekeepError(error)) return undefined;
  const isLasting = ["invalid", "limit", "corrupt"].includes(error.kind);
  const isOfShadow = error.code.startsWith("SHADOW_");
  return isLasting && isOfShadow ? `${error.message} [${error.code}]`.slice(0, 500) : undefined;
}

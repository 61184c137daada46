import { type Item, isTablekeepError, type TablekeepError } from "@tablekeep/core";
import type { ShadowManager } from "../manager/shadow-manager.ts";
import type { ShadowView } from "../manager/shadow-view.ts";
import { inParallel } from "../store/fetch-rows.ts";
import { beginCall, type StoreCall, type StoreContext } from "../store/store-options.ts";
import { activePhases, type StoredRollout } from "./rollout-items.ts";
import { changeRollout, claimRollout, leaseMs, Superseded } from "./rollout-store.ts";

/** A lease is renewed after this many milliseconds. */
const renewMs = leaseMs / 3;
const parallel = 8;

/** Whether an error of one shadow persists until somebody changes the shadow. The rest of the rollout does not wait for that. */
export function isLasting({ kind }: TablekeepError): boolean {
  return kind === "invalid" || kind === "limit" || kind === "corrupt";
}

/** The leases of a runner. */
export class RolloutLeases {
  readonly runner: string;
  /** The epochs of its rollouts. */
  readonly #epochs = new Map<string, number>();

  constructor(runner: string) {
    this.runner = runner;
  }

  /** Remembers the lease of a rollout; undefined if the runner does not have it. */
  note(name: string, rollout: StoredRollout | undefined): void {
    if (rollout !== undefined && activePhases.includes(rollout.phase)) this.#epochs.set(name, rollout.epoch);
    else this.#epochs.delete(name);
  }

  /** Ends all leases. A lease that another runner has taken is left unchanged. */
  async release(call: StoreCall): Promise<void> {
    const change = { Runner: undefined, LeaseUntil: undefined };
    for (const [name, epoch] of this.#epochs) {
      await changeRollout(call, { name, epoch, from: activePhases, change });
      this.#epochs.delete(name);
    }
  }
}

/** One run of a runner: its dependencies, and the steps that all parts of it share. */
export class RolloutRun {
  readonly manager: Pick<ShadowManager, "get" | "update" | "search">;
  readonly options: { readonly signal?: AbortSignal };
  readonly #store: StoreContext;
  readonly #leases: RolloutLeases;
  #renewedAt: number;

  constructor(
    store: StoreContext,
    manager: RolloutRun["manager"],
    leases: RolloutLeases,
    signal: AbortSignal | undefined,
  ) {
    this.#store = store;
    this.#leases = leases;
    this.manager = manager;
    this.options = signal === undefined ? {} : { signal };
    this.#renewedAt = store.options.clock.now();
  }

  get now(): number {
    return this.#store.options.clock.now();
  }

  /** Reads the shadow of a thing. Returns the code of the error if the stored shadow causes it, because waiting would not help then. */
  async read(id: string, name: string): Promise<ShadowView | string | undefined> {
    try {
      return await this.manager.get({ id, name }, this.options);
    } catch (error) {
      if (isTablekeepError(error) && isLasting(error)) return error.code;
      throw error;
    }
  }

  /** Begins a call with its own deadline: a run lasts longer than one call. */
  call(): StoreCall {
    return beginCall(this.#store, this.options);
  }

  /** Takes a rollout, unless another runner has it or there is nothing to do. */
  async claim(name: string): Promise<StoredRollout | undefined> {
    const claimed = await claimRollout(this.call(), name, this.#leases.runner);
    this.#leases.note(name, claimed);
    return claimed;
  }

  /** Changes the rollout, and renews the lease. Throws {@link Superseded} if another runner has taken over. */
  async change(
    rollout: StoredRollout,
    change: Readonly<Record<string, Item[string] | undefined>>,
  ): Promise<StoredRollout> {
    const { name, epoch } = rollout;
    const lease = { LeaseUntil: { N: String(this.now + leaseMs) } };
    const changed = await changeRollout(this.call(), {
      name,
      epoch,
      from: activePhases,
      change: { ...lease, ...change },
    });
    this.#leases.note(name, changed);
    if (changed === undefined) throw new Superseded("the rollout has another runner");
    this.#renewedAt = this.now;
    return changed;
  }

  /** Works on things, several at a time. Returns the rollout, and renews its lease when necessary. */
  async each<Thing>(
    rollout: StoredRollout,
    things: readonly Thing[],
    work: (thing: Thing, rollout: StoredRollout) => Promise<void>,
  ): Promise<StoredRollout> {
    let current = rollout;
    for (let at = 0; at < things.length; at += parallel) {
      this.options.signal?.throwIfAborted();
      if (this.now - this.#renewedAt >= renewMs) current = await this.change(current, {});
      const held = current;
      await inParallel(
        things.slice(at, at + parallel).map((thing) => () => work(thing, held)),
        parallel,
      );
    }
    return current;
  }
}

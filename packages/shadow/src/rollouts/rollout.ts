import type { DocumentObject } from "../document/document-value.ts";
import type { ShadowCallOptions } from "../model/call-options.ts";

/**
 * The phase of a rollout: `preparing` chooses its things, `running` updates them wave by wave, and `rolling-back` restores their previous values.
 * In `paused`, `cancelled`, `succeeded` and `rolled-back` nothing happens.
 */
export type RolloutPhase =
  | "preparing"
  | "running"
  | "paused"
  | "cancelled"
  | "succeeded"
  | "rolling-back"
  | "rolled-back";

/** The condition for starting the next wave. */
export interface RolloutGate {
  /** The share of the wave's things that must report the desired values, from 0 to 1. @default 1 */
  readonly succeeded?: number;
  /** Milliseconds that a thing has to report them. @default 3,600,000: an hour */
  readonly withinMs?: number;
  /** What to do when too many things have failed. @default "pause" */
  readonly onFailure?: "pause" | "roll-back";
}

/** A rollout to create. */
export interface RolloutRequest {
  /** 1 to 128 letters, digits, `:`, `_` and `-`. */
  readonly name: string;
  /** A query for the shadows, such as `group = "kitchen"`. */
  readonly query: string;
  /** The name of the shadows. @default "", the classic shadows */
  readonly shadow?: string;
  /** Merged into the desired state of each. */
  readonly desired: DocumentObject;
  /** The size of each wave: things, or a share such as "10%". The rest is the last wave. @default one wave */
  readonly waves?: readonly (number | string)[];
  readonly gate?: RolloutGate;
}

/** A rollout. */
export interface Rollout {
  readonly name: string;
  readonly query: string;
  readonly shadow: string;
  readonly desired: DocumentObject;
  readonly gate: Required<RolloutGate>;
  readonly phase: RolloutPhase;
  /** Why it is paused or cancelled, if no caller requested it. */
  readonly reason?: string;
  /** The current wave, from 1. */
  readonly wave: number;
  /** The sizes of the waves, once the things are chosen. */
  readonly waves: readonly number[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/**
 * The state of a thing in a rollout. `applied`: its desired state is changed. `succeeded`: it reports that. `failed`: it did not report it in time, or
 * was deleted, or somebody else changed the same values, or it cannot be updated. `restored`: it has its earlier desired state again. `kept`: it was
 * left unchanged, because somebody else had changed the same values, or it cannot be updated.
 */
export type ThingStatus = "waiting" | "applying" | "applied" | "succeeded" | "failed" | "restored" | "kept";

/** A thing of a rollout. */
export interface RolloutThing {
  readonly thing: string;
  /** From 1. */
  readonly wave: number;
  readonly status: ThingStatus;
  /** Why it failed or was kept; the code of an error if it cannot be updated, such as `SHADOW_SCHEMA_VIOLATION`. */
  readonly reason?: string;
}

/** One page of the things of a rollout, by wave and name. */
export interface RolloutThings {
  readonly things: readonly RolloutThing[];
  /** Where the next page begins; undefined after the last. */
  readonly token?: string;
}

/** Rollouts in the table of a store. A server runs them, or a program that calls `advance`. */
export interface ShadowRollouts {
  /**
   * Creates a rollout. Throws `SHADOW_ROLLOUT_EXISTS` if there is another one with this name.
   *
   * @example
   * await rollouts.create({ name: "v2", query: 'group = "kitchen"', desired: { firmware: "2.1" }, waves: [1, "10%"] });
   */
  create(request: RolloutRequest, options?: ShadowCallOptions): Promise<Rollout>;
  /**
   * Returns a rollout; undefined if there is none.
   *
   * @example
   * const { phase, wave } = (await rollouts.get("v2")) ?? {};
   */
  get(name: string, options?: ShadowCallOptions): Promise<Rollout | undefined>;
  /**
   * Returns all rollouts, by name; at most 1,000.
   *
   * @example
   * const running = (await rollouts.list()).filter(({ phase }) => phase === "running");
   */
  list(options?: ShadowCallOptions): Promise<Rollout[]>;
  /**
   * Returns the things of a rollout, with their states.
   *
   * @example
   * const { things } = await rollouts.things("v2");
   */
  things(
    name: string,
    request?: { limit?: number; token?: string },
    options?: ShadowCallOptions,
  ): Promise<RolloutThings>;
  /**
   * Stops a rollout until `resume`. A thing that is being updated at that moment may still be.
   *
   * @example
   * await rollouts.pause("v2");
   */
  pause(name: string, options?: ShadowCallOptions): Promise<Rollout>;
  /**
   * Continues a rollout that is paused. The time of its current wave starts again; with `accept`, the next wave begins whatever they report.
   * Throws `SHADOW_ROLLOUT_PHASE` for `accept` if it is not paused.
   *
   * @example
   * await rollouts.resume("v2", { accept: true });
   */
  resume(name: string, request?: { accept?: boolean }, options?: ShadowCallOptions): Promise<Rollout>;
  /**
   * Ends a rollout. Its changes stay.
   *
   * @example
   * await rollouts.cancel("v2");
   */
  cancel(name: string, options?: ShadowCallOptions): Promise<Rollout>;
  /**
   * Restores the desired values that the things had before, except those that others have changed since.
   *
   * @example
   * await rollouts.rollBack("v2");
   */
  rollBack(name: string, options?: ShadowCallOptions): Promise<Rollout>;
  /**
   * Does all current work, unless another runner holds the lease. Returns whether there will be more to do.
   *
   * @example
   * while (await rollouts.advance("v2")) await sleep(systemClock, 5_000);
   */
  advance(name: string, options?: { signal?: AbortSignal }): Promise<boolean>;
  /**
   * Lets other runners continue the rollouts of this one at once. Without it, they wait until its lease ends, 10 seconds after its last step.
   *
   * @example
   * await rollouts.release();
   */
  release(options?: ShadowCallOptions): Promise<void>;
}

/** Options of rollouts. */
export interface RolloutsOptions {
  /**
   * The name under which `advance` takes rollouts. A program that is restarted under the same name continues at once. Two programs that run at
   * the same time must not have the same name. @default a new one
   */
  readonly runner?: string;
}

import type { LooseEntity } from "../definition/entity-definition.ts";
import type { EntityPlace } from "../entity-error.ts";
import type { CommandLedger } from "../ledger/command-ledger.ts";
import type { ResolvedOptions } from "./host-options.ts";
import type { Slots } from "./slots.ts";
import type { Snapshotter } from "./snapshotter.ts";

/** What every part of a host works with. */
export interface HostContext extends ResolvedOptions {
  readonly ledger: CommandLedger | undefined;
  /** Bounds how many entities work at once. */
  readonly working: Slots;
  readonly snapshotter: Snapshotter;
}

/** Which entity, and what it is. */
export interface EntityRef {
  readonly definition: LooseEntity;
  readonly place: EntityPlace;
  readonly persistenceId: string;
}

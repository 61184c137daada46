import type { EntityCell } from "./entity-cell.ts";
import type { HostContext } from "./host-context.ts";

/** The entities that a host has in memory. */
export interface CellKeeper {
  readonly size: number;
  /** The cell of a persistence id; made if there is none. It counts as used now. */
  get(persistenceId: string, make: () => EntityCell): EntityCell;
  /** Resolves once all cells are idle. */
  done(): Promise<void>;
  /** Lets all of them go. */
  close(): void;
}

/** Keeps cells, and lets go of those that are idle for too long, or that are too many. */
export function cellKeeper(
  context: Pick<HostContext, "clock" | "passivateAfterMs" | "maxLoaded">,
): CellKeeper {
  const { clock, passivateAfterMs, maxLoaded } = context;
  // In the order of their last use.
  const cells = new Map<string, EntityCell>();
  let cancelSweep: (() => void) | undefined;

  /** Goes through the cells from the one that was not used for the longest time. */
  const sweep = () => {
    cancelSweep = undefined;
    const before = clock.monotonic() - passivateAfterMs;
    for (const [persistenceId, cell] of cells) {
      if (cell.usedAt > before && cell.idle) break;
      if (cell.idle) cells.delete(persistenceId);
    }
    if (cells.size > 0) cancelSweep = clock.after(passivateAfterMs / 2, sweep, { background: true });
  };
  const makeRoom = () => {
    let looked = 0;
    for (const [persistenceId, cell] of cells) {
      if (cells.size < maxLoaded || ++looked > 100) return;
      if (cell.idle) cells.delete(persistenceId);
    }
  };
  return {
    get size() {
      return cells.size;
    },
    get(persistenceId, make) {
      const known = cells.get(persistenceId);
      if (known === undefined && cells.size >= maxLoaded) makeRoom();
      const cell = known ?? make();
      if (known !== undefined) cells.delete(persistenceId);
      cells.set(persistenceId, cell);
      cancelSweep ??= clock.after(passivateAfterMs / 2, sweep, { background: true });
      return cell;
    },
    async done() {
      for (const cell of [...cells.values()]) await cell.done();
    },
    close() {
      cancelSweep?.();
      cells.clear();
    },
  };
}

import type { HostContext } from "./cell.ts";
import type { EntityCell } from "./entity-cell.ts";

/** The entities that a host has in memory. */
export interface CellKeeper {
  readonly size: number;
  /** Returns the cell of a persistence id, and creates it if there is none. */
  get(persistenceId: string, make: () => EntityCell): EntityCell;
  /** Resolves once all cells are idle. */
  done(): Promise<void>;
  /** Removes all cells. */
  close(): void;
}

/** Keeps cells, and removes those idle for too long or beyond the limit. */
export function cellKeeper(
  context: Pick<HostContext, "clock" | "passivateAfterMs" | "maxLoaded">,
): CellKeeper {
  const { clock, passivateAfterMs, maxLoaded } = context;
  // In order of last use.
  const cells = new Map<string, EntityCell>();
  let cancelSweep: (() => void) | undefined;

  /** Removes idle cells, least recently used first. */
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
    let visited = 0;
    for (const [persistenceId, cell] of cells) {
      if (cells.size < maxLoaded || ++visited > 100) return;
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

import type { ShadowId } from "@tablekeep/shadow";
import { wildcard } from "../../patterns/wildcard.ts";
import type { SyncedShadows } from "../../setting-files/shadow-sync-file.ts";

/** AWS: the names of things and shadows. Other names, which only our own API accepts, are not synced. */
const thingName = /^[a-zA-Z0-9:_-]{1,128}$/;
const shadowName = /^[$a-zA-Z0-9:_-]{0,64}$/;

/** Selects the shadows that are synced. */
export interface ChosenShadows {
  /** The entry for a shadow; undefined if it is not synced. */
  entryOf(shadow: ShadowId): SyncedShadows | undefined;
  /** The shadows that entries name without a pattern: they are read from the cloud even if they do not exist here. */
  readonly named: readonly ShadowId[];
  /** Whether the cloud may have more shadows of a thing to sync. */
  mayHaveMore(thing: string): boolean;
}

export function chooseShadows(entries: readonly SyncedShadows[]): ChosenShadows {
  const patterns = entries.map((entry) => ({
    entry,
    things: wildcard(entry.things),
    shadows: wildcard(entry.shadows ?? ""),
  }));
  return {
    entryOf({ id, name }) {
      if (!thingName.test(id) || !shadowName.test(name)) return undefined;
      return patterns.find(({ things, shadows }) => things(id) && shadows(name))?.entry;
    },
    named: entries.flatMap(({ things, shadows = "" }) =>
      `${things}${shadows}`.includes("*") ? [] : [{ id: things, name: shadows }],
    ),
    mayHaveMore: (thing) =>
      patterns.some(
        ({ things, entry: { shadows = "", direction } }) =>
          shadows.includes("*") && direction !== "toCloud" && things(thing),
      ),
  };
}

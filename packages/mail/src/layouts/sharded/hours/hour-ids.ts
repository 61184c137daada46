import { randomBytes } from "node:crypto";
import type { SearchMemory } from "../../../model/search-memory.ts";
import { allSettled, type Hour, type HourName } from "./hours.ts";

/**
 * The ids of the messages of hours, kept in memory, so that counts and offsets need not read them. An hour's ids are known if
 * this instance alone has stored messages in it, or if they were read after they had settled, and if no other instance has deleted
 * any since: the directory, which every call reads first, shows both.
 */
export interface HourIds {
  /** The name of this instance in the directory. */
  readonly writer: string;
  /** Adds a message that this instance has committed. */
  stored(name: HourName, id: string): void;
  /** Removes messages that this instance has deleted with one change of the hour's generation. */
  removed(name: HourName, ids: readonly string[]): void;
  /** The outcome of a write is unknown: the hour's ids are no longer known. */
  forget(name: HourName): void;
  /** Keeps those ids of an hour that have settled. `ids` are all, oldest first, as read at its current generation. */
  put(hour: Hour, ids: readonly string[]): void;
  /** The ids of an hour, oldest first; undefined if unknown. */
  of(hour: Hour): readonly string[] | undefined;
  /** All ids of an hour that had settled when they were read, oldest first, and the id below which they had. */
  settledOf(hour: Hour): SettledIds;
}

/** The ids of an hour below one of them. */
export interface SettledIds {
  readonly ids: readonly string[];
  readonly before: string;
}

const none: SettledIds = { ids: [], before: "" };

interface IdList {
  readonly hour: string;
  /** Oldest first. */
  readonly ids: string[];
  generation: number;
  /** The ids were read, and are complete below this one. Undefined: this instance has stored all of them, as far as it knows. */
  readonly before: string | undefined;
}

/** Approximate bytes of an id. */
const idBytes = 50;

/**
 * Keeps at most `maxIds` ids. Drops the oldest hours first, all if other stores need the memory, and all hours of an era when another one
 * begins.
 */
export function hourIds(maxIds: number, memory: Pick<SearchMemory, "add">): HourIds {
  /** Undefined: something is permanently missing. */
  const lists = new Map<string, IdList | undefined>();
  const writer = randomBytes(6).toString("base64url");
  let total = 0;
  const drop = (key: string, list: IdList | undefined) => {
    total -= list?.ids.length ?? 0;
    lists.set(key, undefined);
  };
  const makeSpace = () => {
    for (const [key, list] of lists) {
      if (total <= maxIds) return;
      if (list !== undefined) drop(key, list);
    }
  };
  const share = memory.add(() => {
    for (const [key, list] of lists) drop(key, list);
  });
  const isCurrent = currentEra(() => {
    lists.clear();
    total = 0;
  });
  const forget = (name: HourName) => {
    if (isCurrent(name)) drop(keyOf(name), lists.get(keyOf(name)));
  };
  return {
    writer,
    stored(name, id) {
      if (!isCurrent(name)) return;
      const key = keyOf(name);
      const list = lists.has(key)
        ? lists.get(key)
        : { hour: name.hour, ids: [], generation: 0, before: undefined };
      lists.set(key, list);
      // Ids that were read do not include new ones; a message that is stored too late for that makes the hour unknown.
      if (list === undefined || list.before !== undefined) return;
      insert(list.ids, id);
      total++;
      if (total > maxIds) makeSpace();
      share.use(total * idBytes);
    },
    removed(name, ids) {
      const list = lists.get(keyOf(name));
      if (list === undefined) return;
      const gone = new Set(ids);
      const left = list.ids.filter((id) => !gone.has(id));
      total -= list.ids.length - left.length;
      lists.set(keyOf(name), { ...list, ids: left, generation: list.generation + 1 });
      share.use(total * idBytes);
    },
    forget,
    put(hour, ids) {
      if (!isCurrent(hour)) return;
      const { generation, settledBefore } = hour;
      const settled = ids.filter((id) => id < settledBefore);
      total += settled.length - (lists.get(keyOf(hour))?.ids.length ?? 0);
      lists.set(keyOf(hour), { hour: hour.hour, ids: settled, generation, before: settledBefore });
      makeSpace();
      share.use(total * idBytes);
    },
    of(hour) {
      const list = lists.get(keyOf(hour));
      if (list === undefined || !isComplete(list, hour, writer)) return undefined;
      share.use(total * idBytes);
      return list.ids;
    },
    settledOf(hour) {
      const list = lists.get(keyOf(hour));
      if (list?.before === undefined || list.generation !== hour.generation) return none;
      return { ids: list.ids, before: list.before };
    },
  };
}

/** Returns whether an era is the newest that was seen. `onNext` is called when a later one is: it deletes the messages of those before, and nothing reads them after that. */
function currentEra(onNext: () => void): (name: HourName) => boolean {
  let newest = "";
  return ({ era }) => {
    if (era > newest) {
      newest = era;
      onNext();
    }
    return era === newest;
  };
}

/** Whether a list has all ids of an hour as the directory describes it now. */
function isComplete({ generation, before }: IdList, hour: Hour, writer: string): boolean {
  if (generation !== hour.generation || hour.expiring) return false;
  return before === undefined ? hour.writers.every((name) => name === writer) : before === allSettled;
}

function keyOf({ era, hour }: HourName): string {
  return `${era}#${hour}`;
}

/** Ids of one process are made in order, and committed nearly so. */
function insert(ids: string[], id: string): void {
  let at = ids.length;
  while (at > 0 && (ids[at - 1] as string) > id) at--;
  if (at === ids.length) ids.push(id);
  else ids.splice(at, 0, id);
}

import { randomBytes } from "node:crypto";
import type { Hour, HourName } from "./hours.ts";

/**
 * The ids of the messages of hours, kept in memory, so that counts and offsets need not read them. An hour's ids are known if
 * this instance alone has stored messages in it, or if they were read after it had ended, and if no other instance has deleted any
 * since: the directory, which every call reads first, shows both.
 */
export interface HourIds {
  /** The name of this instance in the directory. */
  readonly writer: string;
  /** Adds a message that this instance has committed. */
  stored(name: HourName, id: string): void;
  /** Removes messages that this instance has deleted with one change of the hour's generation. */
  removed(name: HourName, ids: readonly string[]): void;
  /** The outcome of a write is unknown: the hour's ids are not known any more. */
  forget(name: HourName): void;
  /** Adds the ids of an hour that has ended, oldest first, as read at its current generation. */
  put(hour: Hour, ids: readonly string[]): void;
  /** The ids of an hour, oldest first; undefined if they are not known. */
  of(hour: Hour): readonly string[] | undefined;
}

interface IdList {
  readonly hour: string;
  /** Oldest first. */
  readonly ids: string[];
  generation: number;
  /** Whether this instance has stored all of them, as far as it knows. Otherwise they were read. */
  readonly own: boolean;
}

/** Creates a memory of at most `maxIds` ids. Drops the oldest hours first. */
export function hourIds(maxIds: number): HourIds {
  /** Undefined: something is missing for good. */
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
  const forget = (name: HourName) => drop(keyOf(name), lists.get(keyOf(name)));
  return {
    writer,
    stored(name, id) {
      const key = keyOf(name);
      const list = lists.has(key) ? lists.get(key) : { hour: name.hour, ids: [], generation: 0, own: true };
      lists.set(key, list);
      if (list === undefined) return;
      insert(list.ids, id);
      total++;
      if (total > maxIds) makeSpace();
    },
    removed(name, ids) {
      const list = lists.get(keyOf(name));
      if (list === undefined) return;
      const gone = new Set(ids);
      const left = list.ids.filter((id) => !gone.has(id));
      total -= list.ids.length - left.length;
      lists.set(keyOf(name), { ...list, ids: left, generation: list.generation + 1 });
    },
    forget,
    put(hour, ids) {
      const before = lists.get(keyOf(hour));
      total += ids.length - (before?.ids.length ?? 0);
      lists.set(keyOf(hour), { hour: hour.hour, ids: [...ids], generation: hour.generation, own: false });
      makeSpace();
    },
    of(hour) {
      const list = lists.get(keyOf(hour));
      if (list === undefined || list.generation !== hour.generation || hour.expiring) return undefined;
      const complete = list.own ? hour.writers.every((name) => name === writer) : hour.settled;
      return complete ? list.ids : undefined;
    },
  };
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

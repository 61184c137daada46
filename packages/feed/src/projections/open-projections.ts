import {
  type CallOptions,
  checkPort,
  type DynamoPort,
  isAmbiguous,
  systemClock,
  systemRandom,
} from "@tablekeep/core";
import { type OpenFeed, openFeedParts } from "../open-feed.ts";
import { type ChangeOfSlice, changeSlices } from "./control/change-slices.ts";
import { cursorOfOffset, cursorsAt, type RewindTarget } from "./control/feed-cursors.ts";
import { dropParked, parkedEvents, retryParked } from "./control/parked-events.ts";
import { projectionStatus } from "./control/projection-status.ts";
import { beginRemoval, removeEntry, removeVersion } from "./control/remove-version.ts";
import { verifyProjection } from "./control/verify-projection.ts";
import {
  checkControl,
  checkControlOptions,
  checkRewindTarget,
  checkSlice,
  checkVersion,
} from "./control-checks.ts";
import { feedChanged, optionInvalid, ProjectionError } from "./projection-error.ts";
import { checkProjectionsOptions, defaultTable, type ProjectionsOptions } from "./projection-options.ts";
import type {
  DropSelection,
  ForceOptions,
  ParkedOptions,
  ParkedSelection,
  Projections,
  VersionOptions,
} from "./projections.ts";
import {
  type FailedEvent,
  type ProjectionRecord,
  partitionOf,
  projectionKey,
  type SlicePosition,
  type VersionRecord,
} from "./store/projection-items.ts";
import { ProjectionStore } from "./store/projection-store.ts";

/**
 * Opens the projections of a feed, to inspect and control them. Needs no handlers. Writes nothing.
 *
 * @example
 * const projections = await openProjections(port, { feed: { journal: { table: "events" } } });
 * const { lagEvents, parked } = await projections.status("balances");
 */
export async function openProjections(
  port: DynamoPort,
  options: ProjectionsOptions = {},
): Promise<Projections> {
  checkPort(port, optionInvalid);
  checkProjectionsOptions(options);
  const { clock = systemClock, random = systemRandom, logger, deadlineMs = 10_000 } = options;
  const { table = defaultTable } = options;
  const feed = await openFeedParts(port, {
    clock,
    random,
    deadlineMs,
    ...(logger && { logger }),
    ...options.feed,
  });
  return new OpenProjections(new ProjectionStore({ port, table, clock, random, deadlineMs }), feed);
}

/** The maximum number of slices that are moved at once. A feed with no more is moved as a whole, or not at all. */
const slicesAtOnce = 64;

interface Found {
  readonly registry: ProjectionRecord;
  readonly record: VersionRecord;
  readonly slices: readonly SlicePosition[];
}

class OpenProjections implements Projections {
  readonly #store: ProjectionStore;
  readonly #feed: OpenFeed;

  constructor(store: ProjectionStore, feed: OpenFeed) {
    this.#store = store;
    this.#feed = feed;
  }

  async list(options: CallOptions = {}): Promise<ProjectionRecord[]> {
    checkControlOptions("call", options);
    return this.#store.projections(options);
  }

  async status(name: string, options: VersionOptions = {}): ReturnType<Projections["status"]> {
    checkControl("version", name, options);
    const found = await this.#find(name, options);
    return projectionStatus(this.#store, this.#feed, found.registry, found, options);
  }

  async verify(name: string, options: VersionOptions = {}): ReturnType<Projections["verify"]> {
    checkControl("version", name, options);
    const known = await this.#registry(name, options);
    const { version } = options;
    if (version !== undefined && !known.versions.includes(version)) throw this.#unknown(name, version);
    const versions = version === undefined ? known.versions : [version];
    return verifyProjection({ store: this.#store, feed: this.#feed, known }, versions, options);
  }

  async currentVersion(name: string, options: CallOptions = {}): Promise<number> {
    checkControl("call", name, options);
    return (await this.#registry(name, options)).current;
  }

  async parked(name: string, options: ParkedOptions = {}): ReturnType<Projections["parked"]> {
    checkControl("parked", name, options);
    const { record } = await this.#find(name, options);
    return parkedEvents(this.#store, record, options, options);
  }

  async retryParked(name: string, options: ParkedSelection = {}): Promise<number> {
    checkControl("selection", name, options);
    const { record } = await this.#find(name, options);
    await this.#refuseOutdated(record, options);
    return retryParked(this.#store, record, options.persistenceId, options);
  }

  async dropParked(name: string, options: DropSelection): Promise<number> {
    checkControl("drop", name, options);
    const { persistenceId, event, all } = options;
    if ([persistenceId, event, all].filter((given) => given !== undefined).length !== 1)
      throw optionInvalid("persistenceId, event or all", "must be set, and only one of them may be");
    const { record } = await this.#find(name, options);
    const isDropped = (row: { slice: number; offset: number; persistenceId: string }) =>
      all === true ||
      row.persistenceId === persistenceId ||
      (row.slice === event?.slice && row.offset === event.offset);
    return dropParked(this.#store, record, isDropped, options);
  }

  async skip(name: string, slice: number, options: VersionOptions = {}): Promise<FailedEvent> {
    checkControl("version", name, options);
    checkSlice(slice);
    const { record } = await this.#find(name, options);
    if (slice >= record.slices)
      throw optionInvalid("slice", `must be less than ${record.slices}, the number of slices, got ${slice}`);
    this.#refuseExternal(record);
    await this.#refuseOutdated(record, options);
    let skipped: FailedEvent | undefined;
    await this.#change(
      record,
      slice,
      async ({ failed }, inDoubt) => {
        // It may have been skipped already, and another event may have stopped the slice since, which must not be skipped too.
        if (inDoubt !== undefined && failed?.offset !== skipped?.offset) throw inDoubt;
        skipped = failed;
        if (failed === undefined) return undefined;
        return { to: await cursorOfOffset(this.#feed, slice, failed.offset + 1, options) };
      },
      options,
    );
    if (skipped !== undefined) return skipped;
    const message = `no event has stopped slice ${slice} of projection ${name} (see its status)`;
    throw new ProjectionError("PROJECTION_NOT_STOPPED", message, { name, slice });
  }

  async pause(name: string, options: VersionOptions = {}): Promise<void> {
    checkControl("version", name, options);
    const { record } = await this.#find(name, options);
    await this.#setPaused(record, true, options);
    // A runner that claims a slice after this reads that the version is paused.
    for (let slice = 0; slice < record.slices; slice++)
      await this.#change(record, slice, () => ({ keepFailed: true }), options);
  }

  async resume(name: string, options: VersionOptions = {}): Promise<void> {
    checkControl("version", name, options);
    const { record, slices } = await this.#find(name, options);
    await this.#refuseOutdated(record, options);
    for (const { slice } of slices.filter(({ failed }) => failed !== undefined))
      await this.#change(record, slice, ({ failed }) => (failed === undefined ? undefined : {}), options);
    await this.#setPaused(record, false, options);
  }

  async #setPaused(version: VersionRecord, paused: boolean, call: CallOptions): Promise<void> {
    const { name } = version;
    for (let attempt = 0; attempt < 20; attempt++) {
      const record = await this.#store.version(version, call);
      if (typeof record !== "object") throw this.#unknown(name, version.version);
      const { revision } = record;
      const update = {
        key: projectionKey.version(record),
        update: "SET #paused = :paused, #revision = :next",
        condition: "#revision = :revision",
        names: { "#paused": "paused", "#revision": "revision" },
        values: {
          ":paused": { BOOL: paused },
          ":revision": { N: String(revision) },
          ":next": { N: String(revision + 1) },
        },
      };
      // After a lost response, it is done again, with the next revision.
      const changed = await this.#store.update(update, call).catch((error: unknown) => {
        if (!isAmbiguous(error)) throw error;
        return undefined;
      });
      if (changed !== undefined) return;
    }
    throw contended(name, version.version);
  }

  async rewind(name: string, to: RewindTarget, options: VersionOptions = {}): Promise<void> {
    checkControl("version", name, options);
    checkRewindTarget(to);
    const { record } = await this.#find(name, options);
    this.#refuseExternal(record);
    await this.#refuseOutdated(record, options);
    const cursors = await cursorsAt(this.#feed, to, options);
    // The next runner that claims the slice removes the events that are parked after the new position.
    for (let first = 0; first < cursors.length; first += slicesAtOnce) {
      const slices = [...cursors.keys()].slice(first, first + slicesAtOnce);
      await changeSlices(this.#store, record, slices, ({ slice }) => ({ to: cursors[slice] }), options);
    }
  }

  async switchTo(name: string, version: number, options: ForceOptions = {}): Promise<void> {
    checkControl("force", name, options);
    checkVersion(version);
    const found = await this.#find(name, { ...options, version });
    const { registry } = found;
    if (registry.current === version) return;
    if (options.force !== true) {
      const behind = await this.#eventsBehind(found, options);
      if (behind > 0) throw behindError(name, version, behind);
      const isStopped = found.slices.some(({ failed }) => failed !== undefined);
      if (isStopped) throw behindError(name, version, 1);
    }
    await this.#setCurrent(registry, version, options);
  }

  async #setCurrent({ name, current }: ProjectionRecord, version: number, call: CallOptions): Promise<void> {
    const update = this.#store.action({
      key: projectionKey.registry(name),
      update: "SET #current = :version",
      condition: "#current = :current",
      names: { "#current": "current" },
      values: { ":version": { N: String(version) }, ":current": { N: String(current) } },
    });
    const isStored = {
      ConditionCheck: {
        TableName: this.#store.context.table,
        Key: projectionKey.version({ name, version }),
        ConditionExpression: "attribute_exists(#item) AND attribute_not_exists(#removing)",
        ExpressionAttributeNames: { "#item": "item", "#removing": "removing" },
      },
    };
    const isDone = async () => (await this.#registry(name, call)).current === version;
    try {
      if (await this.#store.transact([update, isStored], call)) return;
    } catch (error) {
      if (isAmbiguous(error) && (await isDone())) return;
      throw error;
    }
    if (await isDone()) return;
    if (typeof (await this.#store.version({ name, version }, call)) !== "object")
      throw this.#unknown(name, version);
    throw contended(name, version);
  }

  /** How many events a version is behind the current one, or behind the feed if they follow different generations, whose offsets cannot be compared. */
  async #eventsBehind({ registry, record, slices }: Found, call: CallOptions): Promise<number> {
    const current = await this.#store.positions({ name: record.name, version: registry.current }, call);
    let reached = new Map(current?.slices.map(({ slice, offset }) => [slice, offset]));
    if (current !== undefined && current.record.generation !== record.generation) {
      await this.#refuseOutdated(record, call);
      const { deadlineMs, signal } = call;
      const status = await this.#feed.status({ deadlineMs, signal });
      // A slice whose last page is corrupt has at least one more.
      reached = new Map(
        status.slices.map(({ events, error }, slice) => [slice, error === undefined ? events : events + 1]),
      );
    }
    return slices.reduce(
      (sum, { slice, offset }) => sum + Math.max(0, (reached.get(slice) ?? 0) - offset),
      0,
    );
  }

  async remove(name: string, options: ForceOptions & { readonly version?: number } = {}): Promise<void> {
    checkControl("remove", name, options);
    const known = await this.#registry(name, options);
    const versions = options.version === undefined ? known.versions : [options.version];
    for (const version of versions) await this.#refuseInUse(known, version, versions.length, options);
    const mayBeCurrent = options.force === true || versions.length === known.versions.length;
    for (const version of versions) {
      if (!(await beginRemoval(this.#store, { name, version }, mayBeCurrent, options)))
        await this.#refuseInUse(await this.#registry(name, options), version, versions.length, options);
      await removeVersion(this.#store, { name, version }, options);
    }
    await removeEntry(this.#store, name, options);
  }

  async #refuseInUse(
    { name, current, versions }: ProjectionRecord,
    version: number,
    removed: number,
    options: ForceOptions,
  ): Promise<void> {
    if (!versions.includes(version)) throw this.#unknown(name, version);
    if (options.force === true) return;
    const alive = await this.#store.runners(options);
    const runners = alive
      .filter(({ runs }) => runs.has(partitionOf({ name, version })))
      .map(({ runner }) => runner);
    const isRead = version === current && removed < versions.length;
    if (runners.length === 0 && !isRead) return;
    const reason = isRead
      ? "readers use it: switch to another one first"
      : "processes run it: stop them first";
    throw new ProjectionError(
      "PROJECTION_IN_USE",
      `version ${version} of projection ${name} is in use (${reason})`,
      {
        name,
        version,
        runners,
      },
    );
  }

  async #registry(name: string, call: CallOptions = {}): Promise<ProjectionRecord> {
    const registry = await this.#store.projection(name, call);
    if (registry === undefined) throw this.#unknown(name);
    return registry;
  }

  async #find(name: string, options: VersionOptions): Promise<Found> {
    const registry = await this.#registry(name, options);
    const version = options.version ?? registry.current;
    const found = await this.#store.positions({ name, version }, options);
    if (found === undefined) throw this.#unknown(name, version);
    return { registry, ...found };
  }

  async #change(
    record: VersionRecord,
    slice: number,
    change: ChangeOfSlice,
    call: CallOptions,
  ): Promise<void> {
    await changeSlices(this.#store, record, [slice], change, call);
  }

  #refuseExternal({ name, mode }: VersionRecord): void {
    if (mode !== "external") return;
    const message = `projection ${name} stores its position in its own database: change it there, while the projection is paused`;
    throw new ProjectionError("PROJECTION_POSITION_EXTERNAL", message, { name });
  }

  /** Places in a feed belong to its generation, and no process runs a version that follows an old one. */
  async #refuseOutdated({ name, version, generation }: VersionRecord, call: CallOptions): Promise<void> {
    const { deadlineMs, signal } = call;
    const { generation: current } = await this.#feed.record({ deadlineMs, signal });
    if (current !== generation) throw feedChanged(generation, current, { name, version });
  }

  #unknown(name: string, version?: number): ProjectionError<"PROJECTION_UNKNOWN"> {
    const { table } = this.#store.context;
    const what = version === undefined ? `projection ${name}` : `version ${version} of projection ${name}`;
    const message = `table ${table} has no ${what} (runProjections creates it)`;
    return new ProjectionError("PROJECTION_UNKNOWN", message, {
      table,
      name,
      ...(version !== undefined && { version }),
    });
  }
}

function behindError(name: string, version: number, events: number): ProjectionError<"PROJECTION_BEHIND"> {
  const message = `version ${version} of projection ${name} is ${events} events behind the current one, or stopped (wait, or force the switch)`;
  return new ProjectionError("PROJECTION_BEHIND", message, { name, version, events });
}

function contended(name: string, version: number): ProjectionError<"PROJECTION_CHANGE_CONTENDED"> {
  const message = `other processes kept changing projection ${name} (try again)`;
  return new ProjectionError("PROJECTION_CHANGE_CONTENDED", message, { name, version });
}

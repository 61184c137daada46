import type { Item, Key } from "@tablekeep/core";

/** One version of a projection, which has its own positions. */
export interface ProjectionVersion {
  readonly name: string;
  readonly version: number;
}

/** How a projection applies events. */
export type ProjectionMode = "exactly-once" | "at-least-once" | "external";

/** The versions of a projection, and the one that readers use. */
export interface ProjectionRecord {
  readonly name: string;
  readonly current: number;
  readonly versions: readonly number[];
}

/** The stored state of one version. */
export interface VersionRecord extends ProjectionVersion {
  readonly mode: ProjectionMode;
  /** The feed that it follows, by name. */
  readonly feed: string;
  readonly type?: string;
  readonly tag?: string;
  readonly generation: number;
  readonly slices: number;
  readonly paused: boolean;
  /** Raised whenever `paused` changes, so that a change that arrives late is rejected. */
  readonly revision: number;
  readonly createdAt: number;
}

/** The event that stopped a slice. */
export interface FailedEvent {
  readonly offset: number;
  readonly persistenceId: string;
  readonly sequenceNr: number;
  readonly error: string;
  /** When, in milliseconds. */
  readonly at: number;
}

/** Points to the next event of a slice. */
export interface SliceCursor {
  /** How many events of the slice are before it. */
  readonly offset: number;
  /** The page that has the next event, and how many events of that page are before it. */
  readonly page: number;
  readonly skip: number;
  /** Identifies the put of the page of the event before it: in a restored feed, another page may have its number. Undefined if unknown. */
  readonly by?: string;
}

/** The progress of a version in a slice, and the owner of the slice. */
export interface SlicePosition extends SliceCursor {
  readonly slice: number;
  /** The runner that applies its events; undefined if none does. */
  readonly owner?: string;
  /** Raised by every claim and by every change from outside. A runner with another epoch cannot move the position. */
  readonly epoch: number;
  /** When it was last moved, in milliseconds. */
  readonly movedAt: number;
  /** Why the last attempt failed, if it did. */
  readonly error?: string;
  /** The event that stopped it. */
  readonly failed?: FailedEvent;
}

/** An event that could not be applied, or that follows one of its id. */
export interface ParkedItem extends FailedEvent {
  readonly slice: number;
  /** The write that it belongs to. */
  readonly first: number;
  readonly last: number;
  readonly mark: number;
  /** Whether it is to be applied once it is the first of its id. Those that follow a failed one always are. */
  readonly retry: boolean;
}

/** A process that runs projections. */
export interface RunnerRecord {
  readonly runner: string;
  /** When it counts as gone unless it renews, in milliseconds. */
  readonly until: number;
  /** The versions that it runs, with the events that it applied per second. */
  readonly runs: ReadonlyMap<string, number>;
}

export const keyNames = ["projection", "item"] as const;

function keyOf(projection: string, item: string): Key {
  return { projection: { S: projection }, item: { S: item } };
}

/** Names have no `#`: these partitions cannot be those of a projection. */
export const registryPartition = "#projections";
export const runnersPartition = "#runners";
export const versionItem = "projection";
export const slicePrefix = "slice-";
const parkedPrefix = "parked-";

const digits = (value: number, length: number) => String(value).padStart(length, "0");

/** The partition of one version, and its name in the items of runners. */
export function partitionOf({ name, version }: ProjectionVersion): string {
  return `${name}#${version}`;
}

export const projectionKey = {
  registry: (name: string): Key => keyOf(registryPartition, name),
  version: (version: ProjectionVersion): Key => keyOf(partitionOf(version), versionItem),
  slice: (version: ProjectionVersion, slice: number): Key =>
    keyOf(partitionOf(version), `${slicePrefix}${digits(slice, 4)}`),
  parked: (version: ProjectionVersion, slice: number, offset: number): Key =>
    keyOf(partitionOf(version), `${parkedPrefix}${digits(slice, 4)}-${digits(offset, 16)}`),
  runner: (runner: string): Key => keyOf(runnersPartition, runner),
};

/** The beginning of the keys of the parked events of a slice, or of all. */
export function parkedOf(slice?: number): string {
  return slice === undefined ? parkedPrefix : `${parkedPrefix}${digits(slice, 4)}-`;
}

const number = (value: number) => ({ N: String(value) });
const read = (item: Item, name: string) => Number(item[name]?.N ?? 0);
const text = (item: Item, name: string) => item[name]?.S ?? "";

export function decodeRegistry(item: Item): ProjectionRecord {
  return {
    name: text(item, "item"),
    current: read(item, "current"),
    versions: (item["versions"]?.NS ?? []).map(Number).toSorted((one, other) => one - other),
  };
}

export function encodeVersion(record: VersionRecord): Item {
  const { mode, feed, type, tag, generation, slices, paused, revision, createdAt } = record;
  return {
    ...projectionKey.version(record),
    mode: { S: mode },
    feed: { S: feed },
    ...(type !== undefined && { type: { S: type } }),
    ...(tag !== undefined && { tag: { S: tag } }),
    generation: number(generation),
    slices: number(slices),
    paused: { BOOL: paused },
    revision: number(revision),
    created_at: number(createdAt),
  };
}

export function decodeVersion(item: Item): VersionRecord {
  const [, name = "", version = ""] = /^(.*)#(\d+)$/.exec(text(item, "projection")) ?? [];
  return {
    name,
    version: Number(version),
    mode: text(item, "mode") as ProjectionMode,
    feed: text(item, "feed"),
    ...(item["type"] && { type: text(item, "type") }),
    ...(item["tag"] && { tag: text(item, "tag") }),
    generation: read(item, "generation"),
    slices: read(item, "slices"),
    paused: item["paused"]?.BOOL === true,
    revision: read(item, "revision"),
    createdAt: read(item, "created_at"),
  };
}

/** Whether the item of a version says that its removal has begun. */
export function isBeingRemoved(item: Item): boolean {
  return item["removing"] !== undefined;
}

export function encodeFailed({ offset, persistenceId, sequenceNr, error, at }: FailedEvent): Item {
  return {
    offset: number(offset),
    persistence_id: { S: persistenceId },
    sequence_nr: number(sequenceNr),
    error: { S: error },
    at: number(at),
  };
}

function decodeFailed(item: Item): FailedEvent {
  return {
    offset: read(item, "offset"),
    persistenceId: text(item, "persistence_id"),
    sequenceNr: read(item, "sequence_nr"),
    error: text(item, "error"),
    at: read(item, "at"),
  };
}

export function decodeSlice(item: Item): SlicePosition {
  const failed = item["failed"]?.M;
  return {
    slice: Number(text(item, "item").slice(slicePrefix.length)),
    offset: read(item, "offset"),
    page: read(item, "page"),
    skip: read(item, "skip"),
    ...(item["page_by"] && { by: text(item, "page_by") }),
    ...(item["owner"] && { owner: text(item, "owner") }),
    epoch: read(item, "epoch"),
    movedAt: read(item, "moved_at"),
    ...(item["error"] && { error: text(item, "error") }),
    ...(failed && { failed: decodeFailed(failed) }),
  };
}

export function encodeParked(version: ProjectionVersion, parked: ParkedItem): Item {
  const { slice, offset, first, last, mark, retry } = parked;
  return {
    ...projectionKey.parked(version, slice, offset),
    ...encodeFailed(parked),
    first: number(first),
    last: number(last),
    mark: number(mark),
    retry: { BOOL: retry },
  };
}

export function decodeParked(item: Item): ParkedItem {
  const [slice] = text(item, "item").slice(parkedPrefix.length).split("-");
  return {
    ...decodeFailed(item),
    slice: Number(slice),
    first: read(item, "first"),
    last: read(item, "last"),
    mark: read(item, "mark"),
    retry: item["retry"]?.BOOL === true,
  };
}

export function encodeRunner({ runner, until, runs }: RunnerRecord): Item {
  const rates = [...runs].map(([version, rate]) => [version, number(Math.round(rate * 10) / 10)] as const);
  return { ...projectionKey.runner(runner), until: number(until), runs: { M: Object.fromEntries(rates) } };
}

export function decodeRunner(item: Item): RunnerRecord {
  const rates = Object.entries(item["runs"]?.M ?? {});
  return {
    runner: text(item, "item"),
    until: read(item, "until"),
    runs: new Map(rates.map(([version, { N }]) => [version, Number(N)])),
  };
}

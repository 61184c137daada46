import type { CallOptions } from "@tablekeep/core";
import type { OpenFeed } from "../../open-feed.ts";
import { eventCount, type FeedPage } from "../../pages/page.ts";
import { requestSignal } from "../../signals.ts";
import { feedChanged, positionAhead } from "../projection-error.ts";
import type {
  ParkedItem,
  ProjectionRecord,
  SlicePosition,
  VersionRecord,
} from "../store/projection-items.ts";
import type { ProjectionStore } from "../store/projection-store.ts";
import { cursorOfOffset } from "./feed-cursors.ts";

/** One problem of a version of a projection. */
export interface ProjectionFinding {
  /**
   * `current`: readers use a version that does not exist. `version`: the version is listed but not stored. `outdated`: it follows an old
   * generation of the feed. `slices`: a slice of the feed has no position. `ahead`: a position is beyond the end of the feed. `position`: page and
   * offset of a position do not fit together. `stopped`: an event has stopped a slice. `parked-unknown`: a parked event is not the event of the
   * feed at its offset. `parked`: events are parked. `abandoned`: the process that had a slice is gone.
   */
  readonly kind:
    | "current"
    | "version"
    | "outdated"
    | "slices"
    | "ahead"
    | "position"
    | "stopped"
    | "parked-unknown"
    | "parked"
    | "abandoned";
  /** An error is damage, a warning needs a decision, and `info` may be correct. */
  readonly severity: "error" | "warning" | "info";
  readonly name: string;
  readonly version: number;
  readonly slice?: number;
  readonly offset?: number;
  readonly message: string;
}

/** The result of checking a projection. */
export interface ProjectionVerification {
  readonly versions: number;
  readonly slices: number;
  readonly parked: number;
  readonly findings: readonly ProjectionFinding[];
}

type Report = (finding: Omit<ProjectionFinding, "name" | "version">) => void;

/**
 * Compares the stored positions and parked events of versions with the feed. What the projection has written is not read: only its own
 * program defines what it should be.
 */
export async function verifyProjection(
  context: { readonly store: ProjectionStore; readonly feed: OpenFeed; readonly known: ProjectionRecord },
  versions: readonly number[],
  options: CallOptions,
): Promise<ProjectionVerification> {
  const { store, feed, known } = context;
  const call = {
    deadlineMs: options.deadlineMs,
    signal: options.signal && requestSignal(options.signal),
  };
  const { name, current } = known;
  const findings: ProjectionFinding[] = [];
  const total = { versions: versions.length, slices: 0, parked: 0 };
  if (!known.versions.includes(current)) {
    const message = `readers use version ${current}, which does not exist: switch to another one`;
    findings.push({ kind: "current", severity: "error", name, version: current, message });
  }
  for (const version of versions) {
    const report: Report = (finding) => findings.push({ ...finding, name, version });
    const found = await store.positions({ name, version }, call);
    if (found === undefined) {
      const message =
        "is listed but not stored: run the projection, which creates it, or delete this version";
      report({ kind: "version", severity: "error", message });
      continue;
    }
    const parked = await new VersionCheck(store, feed, found, report, call).run();
    total.slices += found.slices.length;
    total.parked += parked;
  }
  return { ...total, findings };
}

interface FoundVersion {
  readonly record: VersionRecord;
  readonly slices: readonly SlicePosition[];
}

class VersionCheck {
  readonly #store: ProjectionStore;
  readonly #feed: OpenFeed;
  readonly #record: VersionRecord;
  readonly #slices: readonly SlicePosition[];
  readonly #report: Report;
  readonly #call: CallOptions;
  /** The page that was read last: parked events are often next to each other. */
  #last: { readonly slice: number; readonly page: FeedPage } | undefined;

  constructor(
    store: ProjectionStore,
    feed: OpenFeed,
    { record, slices }: FoundVersion,
    report: Report,
    call: CallOptions,
  ) {
    this.#store = store;
    this.#feed = feed;
    this.#record = record;
    this.#slices = slices;
    this.#report = report;
    this.#call = call;
  }

  /** Reports findings, and returns the number of parked events. */
  async run(): Promise<number> {
    // Read after the positions, so that none is beyond the end by chance.
    const { generation, slices: ends } = await this.#feed.status(this.#call);
    if (generation !== this.#record.generation) {
      // Positions and offsets are those of pages that may be removed.
      const { message } = feedChanged(this.#record.generation, generation);
      this.#report({ kind: "outdated", severity: "error", message });
      return this.#countParked();
    }
    this.#checkSlices(ends.length);
    const alive = new Set((await this.#store.runners(this.#call)).map(({ runner }) => runner));
    for (const position of this.#slices) {
      await this.#checkPosition(position, ends[position.slice]?.events ?? 0);
      this.#checkState(position, alive);
    }
    return this.#checkParked();
  }

  #checkSlices(expected: number): void {
    const stored = new Set(this.#slices.map(({ slice }) => slice));
    for (let slice = 0; slice < expected; slice++)
      if (!stored.has(slice)) {
        const message =
          "has no stored position, so its events are not applied: raise the version of the projection";
        this.#report({ kind: "slices", severity: "error", slice, message });
      }
  }

  async #checkPosition({ slice, offset, page, skip }: SlicePosition, events: number): Promise<void> {
    if (offset > events) {
      const { message } = positionAhead(this.#record, slice, offset);
      return this.#report({ kind: "ahead", severity: "error", slice, offset, message });
    }
    // The other database has the position, and the page is looked up from it.
    if (this.#record.mode === "external" || (await this.#isAt(slice, offset, page, skip))) return;
    const message = `offset ${offset} is not at event ${skip} of page ${page} of the feed: rewind the projection, or raise its version`;
    this.#report({ kind: "position", severity: "error", slice, offset, message });
  }

  /** Whether a page and the number of its events before a position fit its offset. */
  async #isAt(slice: number, offset: number, number: number, skip: number): Promise<boolean> {
    const page = await this.#page(slice, number);
    if (page !== undefined) return skip <= page.count && page.first + skip === offset;
    if (skip !== 0) return false;
    if (number === 0) return offset === 0;
    const before = await this.#page(slice, number - 1);
    return before !== undefined && before.first + before.count === offset;
  }

  async #page(slice: number, number: number): Promise<FeedPage | undefined> {
    if (this.#last?.slice === slice && this.#last.page.number === number) return this.#last.page;
    const { generation } = this.#record;
    const page = await this.#feed.store.pages.read({ generation, slice, number }, this.#call);
    if (page !== undefined) this.#last = { slice, page };
    return page;
  }

  #checkState({ slice, failed, owner }: SlicePosition, alive: ReadonlySet<string>): void {
    if (failed !== undefined) {
      const { offset, persistenceId, sequenceNr, error } = failed;
      const message = `stopped by event ${sequenceNr} of ${persistenceId}: ${error}: fix the handler, then resume the projection, or skip the event`;
      this.#report({ kind: "stopped", severity: "warning", slice, offset, message });
    }
    if (owner !== undefined && !alive.has(owner)) {
      const message = `was applied by ${owner}, which is gone: another process takes it over once it runs the projection`;
      this.#report({ kind: "abandoned", severity: "info", slice, message });
    }
  }

  async #checkParked(): Promise<number> {
    let count = 0;
    for await (const parked of this.#store.parked(this.#record, undefined, this.#call)) {
      count++;
      await this.#checkParkedEvent(parked);
    }
    if (count > 0) {
      const message = `${count} parked: read why with parked, then retry or drop them`;
      this.#report({ kind: "parked", severity: "info", message });
    }
    return count;
  }

  /** A parked event after the position of its slice, as a rewind leaves it, is removed by the next process that claims the slice. */
  async #checkParkedEvent({ slice, offset, persistenceId, sequenceNr }: ParkedItem): Promise<void> {
    const event = await this.#eventAt(slice, offset);
    if (event?.persistenceId === persistenceId && event.sequenceNr === sequenceNr) return;
    const there = event === undefined ? "no event" : `event ${event.sequenceNr} of ${event.persistenceId}`;
    const message = `event ${sequenceNr} of ${persistenceId} is parked, but the feed has ${there} at this offset: drop it`;
    this.#report({ kind: "parked-unknown", severity: "error", slice, offset, message });
  }

  async #eventAt(
    slice: number,
    offset: number,
  ): Promise<{ readonly persistenceId: string; readonly sequenceNr: number } | undefined> {
    const known = this.#last;
    const isHere =
      known?.slice === slice && known.page.first <= offset && offset < known.page.first + known.page.count;
    const page = isHere
      ? known.page
      : await this.#page(slice, (await cursorOfOffset(this.#feed, slice, offset, this.#call)).page);
    if (page === undefined) return undefined;
    let at = page.first;
    for (const ref of page.refs) {
      const count = eventCount(ref);
      if (offset < at + count)
        return { persistenceId: ref.persistenceId, sequenceNr: ref.first + offset - at };
      at += count;
    }
    return undefined;
  }

  async #countParked(): Promise<number> {
    let count = 0;
    for await (const _parked of this.#store.parked(this.#record, undefined, this.#call)) count++;
    return count;
  }
}

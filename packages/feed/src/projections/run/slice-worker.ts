import { backoffMs } from "@tablekeep/client";
import { isTablekeepError, type Logger, type Random, sleep } from "@tablekeep/core";
import type { JournalEvent } from "@tablekeep/journal";
import { isUnreadable } from "../../read/read-each.ts";
import {
  applyGroup,
  applyParked,
  parkAgain,
  removeLeftovers,
  stopSlice,
  storeError,
} from "../apply/apply-group.ts";
import { GroupRejected } from "../apply/commit.ts";
import { NeedsNewGroup } from "../apply/event-transaction.ts";
import { type EventActions, Group } from "../apply/group.ts";
import { type SliceHold, SliceLost } from "../apply/slice-hold.ts";
import type { EventContext } from "../projection.ts";
import { ProjectionError } from "../projection-error.ts";
import { encodeFailed, encodeParked, type ParkedItem, type SliceCursor } from "../store/projection-items.ts";
import { errorCode, errorText } from "./error-text.ts";
import { externalOffset } from "./external-position.ts";
import { type HandlerContext, handleEvent } from "./handle-event.ts";
import { actionRejected, actionsUnsuitable } from "./handler-errors.ts";
import type { PageWaiter } from "./page-waiter.ts";
import type { SliceBatch, SliceEvent, SliceReader } from "./slice-reader.ts";

/** Dependencies of a worker besides its slice. */
export interface WorkerContext extends HandlerContext {
  readonly reader: SliceReader;
  readonly pages: PageWaiter;
  readonly random: Random;
  readonly logger: Logger;
  readonly generation: number;
  /** Aborts to give up the slice after the group in flight. */
  readonly signal: AbortSignal;
  /** Called whenever the position has moved, with the number of events handled. */
  readonly onMoved: (handled: number) => void;
  readonly onError: (error: unknown) => void;
}

/** Thrown when an event has stopped the slice. */
class Stopped extends Error {}

/** Applies the events of one slice that this runner has claimed, in order. */
export class SliceWorker {
  readonly hold: SliceHold;
  readonly #context: WorkerContext;
  #group = new Group();
  #parked: ParkedItem[] = [];
  /** The cursor after the events of the group. */
  #reached: SliceCursor;
  #handled = 0;
  /** The event that failed last, and how often it has failed. */
  #failing = { offset: -1, attempts: 0, conflicts: 0 };
  /** Why the transaction of the next event was rejected. This counts as a failure of its handler. */
  #rejected: GroupRejected | undefined;
  /** Up to this offset, events are applied one by one, because a group of several was rejected. */
  #aloneUntil = 0;
  /** The offset of the last event that was handled, for external positions. */
  #previous: number | undefined;

  constructor(hold: SliceHold, context: WorkerContext, previous?: number) {
    this.hold = hold;
    this.#context = context;
    this.#reached = hold.cursor;
    this.#previous = previous;
  }

  /** Works until the signal aborts, the slice is lost or an event stops it. */
  async run(): Promise<void> {
    const { signal, logger, projection } = this.#context;
    try {
      await removeLeftovers(this.hold);
      for (let failures = 0; !signal.aborted; ) {
        try {
          await this.#round();
          failures = 0;
        } catch (error) {
          if (error instanceof SliceLost || error instanceof Stopped) throw error;
          this.#context.onError(error);
          logger.warn("a projection failed; trying again", { projection: projection.name, error });
          await storeError(this.hold, errorText(error)).catch(() => {});
          await this.#pause(failures++);
          // The place to continue is in the other database: the next claim reads it.
          if (projection.mode === "external") throw new SliceLost("its position is not certain");
        }
      }
    } catch (error) {
      if (!(error instanceof SliceLost || error instanceof Stopped)) throw error;
    }
  }

  async #pause(failures: number): Promise<void> {
    const { clock, random, signal, projection } = this.#context;
    const { backoffMs: baseMs = 100, maxBackoffMs: capMs = 10_000 } = projection.definition.retry ?? {};
    await sleep(clock, backoffMs(failures, random, { baseMs, capMs }), signal).catch(() => {});
  }

  async #round(): Promise<void> {
    this.#begin();
    await this.#replay();
    const { reader, pages, signal, deadlineMs } = this.#context;
    const batch = await reader.read(this.hold.cursor, { deadlineMs });
    if (batch !== undefined) return this.#applyBatch(batch);
    const { slice, cursor } = this.hold;
    if ((await pages.wait(slice, cursor.page, signal)) === "check") await reader.checkCursor(cursor);
  }

  #begin(): void {
    this.#group = new Group();
    this.#parked = [];
    this.#handled = 0;
    this.#reached = this.hold.cursor;
  }

  async #applyBatch({ events, end }: SliceBatch): Promise<void> {
    const { projection, signal } = this.#context;
    const { groupSize = 100 } = projection.definition;
    while (!signal.aborted) {
      // The group may end earlier than before: events are tried again if they failed, or if their group was rejected.
      const each = events[indexFrom(events, this.#reached.offset)];
      if (each === undefined) {
        this.#reached = end;
        break;
      }
      await this.#applyEvent(each);
      if (this.#group.events >= (each.at.offset < this.#aloneUntil ? 1 : groupSize)) await this.#flush();
    }
    await this.#flush();
  }

  /** Adds an event to the group. Does not add it if it must be tried again, because the group has to be applied first or the event failed. */
  async #applyEvent(each: SliceEvent): Promise<void> {
    const { persistenceId } = each.event;
    const isOfId = (row: ParkedItem) => row.persistenceId === persistenceId;
    const isParked = this.hold.parked.some(isOfId) || this.#parked.some(isOfId);
    if (isParked) return this.#park(each, "an earlier event of its id is parked", true);
    if (each.isUnread === true) return this.#applyUnread(each);
    const { projection } = this.#context;
    const rejected = this.#rejected;
    this.#rejected = undefined;
    if (rejected !== undefined) return this.#failed(each, actionRejected(projection, each.event, rejected));
    try {
      const actions = await this.#handle(each, this.#group);
      const reason = this.#group.add(actions);
      if (reason === undefined) return this.#added(each);
      if (this.#group.isEmpty) throw actionsUnsuitable(projection, each.event, actions, reason);
      // Its writes do not depend on anything that it read, so it need not run again.
      if ((await this.#flush()) && actions.isIndependent && this.#group.add(actions) === undefined)
        this.#added(each);
    } catch (error) {
      if (error instanceof SliceLost || error instanceof Stopped) throw error;
      if (error instanceof NeedsNewGroup && !this.#group.isEmpty) await this.#flush();
      else await this.#failed(each, error);
    }
  }

  /** Applies an event whose write could not be read, if it can be read now. */
  async #applyUnread(each: SliceEvent): Promise<void> {
    const { reader, deadlineMs } = this.#context;
    let event: SliceEvent | undefined;
    try {
      event = await reader.readAgain(each, { deadlineMs });
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return this.#failed(each, error);
    }
    if (event === undefined) this.#reached = each.next;
    else await this.#applyEvent(event);
  }

  #added(each: SliceEvent): void {
    this.#reached = each.next;
    this.#handled++;
    this.#previous = each.at.offset;
  }

  #handle({ event, at }: SliceEvent, group: Group): Promise<EventActions> {
    const { slice, epoch } = this.hold;
    const { projection, generation, signal } = this.#context;
    const idempotencyKey = `${projection.name}-${generation}-${slice}-${at.offset}`;
    const context: EventContext = { slice, offset: at.offset, epoch, idempotencyKey, signal };
    return handleEvent(this.#context, group, event, context, this.#previous);
  }

  /** Applies the group. False if it was rejected: then its events are applied one by one. */
  async #flush(): Promise<boolean> {
    const { events } = this.#group;
    if (this.#reached.offset === this.hold.cursor.offset) {
      // No event was passed. The end of a page is the beginning of the next, which may not be there yet.
      this.hold.cursor = this.#reached;
      return true;
    }
    try {
      await applyGroup(this.hold, this.#group, this.#reached, this.#parked);
    } catch (error) {
      if (!(error instanceof GroupRejected)) throw error;
      if (events > 1) {
        this.#aloneUntil = Math.max(this.#aloneUntil, this.#reached.offset);
        this.#begin();
        return false;
      }
      await this.#rejectedAlone(error);
      return false;
    }
    if (this.hold.cursor.offset > this.#failing.offset)
      this.#failing = { offset: -1, attempts: 0, conflicts: 0 };
    this.#context.onMoved(this.#handled);
    this.#begin();
    return true;
  }

  /** The one event of a group was rejected. If it has read items, others may have changed them: that is not a failure. */
  async #rejectedAlone(error: GroupRejected): Promise<void> {
    const mayBeConflict = error.isCondition && this.#group.hasReads && this.#failing.conflicts < 50;
    this.#aloneUntil = Math.max(this.#aloneUntil, this.#reached.offset);
    this.#begin();
    if (mayBeConflict) {
      this.#failing = { ...this.#failing, conflicts: this.#failing.conflicts + 1 };
      await this.#pause(Math.min(3, this.#failing.conflicts));
    } else this.#rejected = error;
  }

  async #failed(each: SliceEvent, error: unknown): Promise<void> {
    if (!this.#group.isEmpty && !(await this.#flush())) return;
    if (await this.#isStoredElsewhere(each)) return this.#added(each);
    const { definition } = this.#context.projection;
    const { attempts = 5 } = definition.retry ?? {};
    const { offset } = each.at;
    const before = this.#failing.offset === offset ? this.#failing.attempts : 0;
    this.#context.onError(error);
    // The event is not the cause: try again until it succeeds.
    if (isOutage(error)) throw error;
    this.#failing = { offset, attempts: before + 1, conflicts: 0 };
    const text = errorText(error);
    if (before + 1 < attempts && isWorthRetrying(error)) {
      await storeError(this.hold, text).catch(() => {});
      return this.#pause(before);
    }
    if (definition.onPoison === "park") return this.#park(each, text, false);
    await this.#stop(each, text);
  }

  /** Whether an external position shows that the event was handled although its handler failed. */
  async #isStoredElsewhere(each: SliceEvent): Promise<boolean> {
    const { projection, clock } = this.#context;
    if (projection.mode !== "external") return false;
    this.#previous = await externalOffset(projection, this.hold.slice, clock);
    return this.#previous !== undefined && this.#previous >= each.at.offset;
  }

  async #stop({ event, at }: SliceEvent, error: string): Promise<never> {
    this.#reached = at;
    await this.#flush();
    const { persistenceId, sequenceNr } = event;
    const time = Math.floor(this.#context.clock.now());
    const failed = { offset: at.offset, persistenceId, sequenceNr, error, at: time };
    await stopSlice(this.hold, encodeFailed(failed), error);
    this.#context.logger.error("an event stopped a slice of a projection", {
      persistenceId,
      sequenceNr,
      error,
    });
    throw new Stopped();
  }

  async #park(each: SliceEvent, error: string, retry: boolean): Promise<void> {
    const { event, ref, at } = each;
    const row: ParkedItem = {
      slice: this.hold.slice,
      offset: at.offset,
      persistenceId: event.persistenceId,
      sequenceNr: event.sequenceNr,
      error,
      at: Math.floor(this.#context.clock.now()),
      first: ref.first,
      last: ref.last,
      mark: ref.mark,
      retry,
    };
    const { table } = this.hold.store.context;
    if (!this.#group.park(encodeParked(this.hold.version, row), table)) {
      await this.#flush();
      return;
    }
    this.#parked.push(row);
    this.#reached = each.next;
  }

  /** Applies the first parked event of each id that is to be tried again, and those that follow it. */
  async #replay(): Promise<void> {
    for (let row = nextToReplay(this.hold.parked); row !== undefined; row = nextToReplay(this.hold.parked)) {
      const { reader, deadlineMs, signal } = this.#context;
      if (signal.aborted) return;
      let isRead = false;
      try {
        const event = await reader.readOne(row, row.sequenceNr, { deadlineMs });
        isRead = true;
        await this.#replayRow(row, event);
        this.#context.onMoved(1);
      } catch (error) {
        if (error instanceof SliceLost || !(isRead || isUnreadable(error))) throw error;
        const failure =
          error instanceof GroupRejected ? actionRejected(this.#context.projection, row, error) : error;
        this.#context.onError(failure);
        await parkAgain(this.hold, row, errorText(failure)).catch(asLost);
      }
    }
  }

  async #replayRow(row: ParkedItem, event: JournalEvent | undefined): Promise<void> {
    const group = new Group();
    if (event !== undefined) {
      const { reader } = this.#context;
      const at = { ...this.hold.cursor, offset: row.offset };
      const feedEvent = reader.feedEvent(event, row.offset, false, at);
      const each: SliceEvent = { event: feedEvent, at, next: at, ref: row };
      const actions = await this.#handle(each, group);
      const reason = group.add(actions);
      if (reason !== undefined) throw actionsUnsuitable(this.#context.projection, feedEvent, actions, reason);
    }
    await applyParked(this.hold, group, row);
  }
}

/** Returns the index of the first event at or after an offset. */
function indexFrom(events: readonly SliceEvent[], offset: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((events[middle] as SliceEvent).at.offset < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function nextToReplay(rows: readonly ParkedItem[]): ParkedItem | undefined {
  const seen = new Set<string>();
  for (const row of rows) {
    if (!seen.has(row.persistenceId) && row.retry) return row;
    seen.add(row.persistenceId);
  }
  return undefined;
}

/** Whether DynamoDB could not be reached, or had no capacity. */
function isOutage(error: unknown): boolean {
  if (!isTablekeepError(error) || error instanceof ProjectionError) return false;
  return error.retryable || error.ambiguous || error.kind === "unavailable" || error.kind === "throttled";
}

/** A definition that cannot work will not work later either. */
function isWorthRetrying(error: unknown): boolean {
  const code = errorCode(error);
  return code !== "PROJECTION_EVENT_TOO_LARGE" && code !== "PROJECTION_ACTIONS_OVERLAP";
}

/** The parked event has changed meanwhile: the next claim reads it. */
function asLost(error: unknown): never {
  throw error instanceof GroupRejected ? new SliceLost("a parked event was changed") : error;
}

import { newWriteId, OperationRetries, startOperation } from "@tablekeep/client";
import {
  type CallOptions,
  type Item,
  isAmbiguous,
  isTablekeepError,
  type TablekeepError,
  type TransactWriteItem,
} from "@tablekeep/core";
import {
  decodeSlice,
  type ParkedItem,
  type ProjectionVersion,
  projectionKey,
  type SliceCursor,
  type SlicePosition,
} from "../store/projection-items.ts";
import type { ItemUpdate, ProjectionStore } from "../store/projection-store.ts";

/** Thrown when another runner has the slice, or when it was changed from outside: this runner can no longer apply anything. */
export class SliceLost extends Error {}

/** A slice that this runner has claimed. Everything that it writes is fenced by owner, epoch and the offset before. */
export class SliceHold {
  readonly store: ProjectionStore;
  readonly version: ProjectionVersion;
  readonly owner: string;
  readonly slice: number;
  readonly epoch: number;
  cursor: SliceCursor;
  /** The parked events of the slice, in order. Exact: only the runner that has the slice adds any. */
  parked: ParkedItem[] = [];
  /** Aborts when the slice is to be given up. What is not settled then is left to the next claim, which fences it. */
  ending: AbortSignal = new AbortController().signal;

  private constructor(
    store: ProjectionStore,
    version: ProjectionVersion,
    owner: string,
    { slice, epoch, offset, page, skip, by }: SlicePosition,
  ) {
    this.store = store;
    this.version = version;
    this.owner = owner;
    this.slice = slice;
    this.epoch = epoch;
    this.cursor = { offset, page, skip, ...(by !== undefined && { by }) };
  }

  /**
   * Claims a slice: raises its epoch, if it has not changed since it was read. Undefined if it has, or must not run. Parked events, and whether the
   * version is paused, are read after that, because another runner could change them until then.
   */
  static async claim(
    store: ProjectionStore,
    version: ProjectionVersion,
    owner: string,
    seen: SlicePosition,
  ): Promise<SliceHold | undefined> {
    const position = await claimSlice(store, version, owner, seen);
    if (position === undefined || position.failed !== undefined) return undefined;
    const hold = new SliceHold(store, version, owner, position);
    const record = await store.version(version);
    if (record === undefined || record === "removing" || record.paused) {
      await hold.release();
      return undefined;
    }
    for await (const row of store.parked(version, seen.slice)) hold.parked.push(row);
    return hold;
  }

  /** The condition that the slice is this runner's and where it is expected. */
  get fence(): {
    readonly expression: string;
    readonly names: Record<string, string>;
    readonly values: Item;
  } {
    return {
      expression: "#epoch = :epoch AND #owner = :owner AND #offset = :from",
      names: { "#epoch": "epoch", "#owner": "owner", "#offset": "offset" },
      values: {
        ":epoch": { N: String(this.epoch) },
        ":owner": { S: this.owner },
        ":from": { N: String(this.cursor.offset) },
      },
    };
  }

  /** The update that moves the position, unless the slice is no longer this runner's. */
  moveUpdate(to: SliceCursor): ItemUpdate {
    const { expression, names, values } = this.fence;
    const now = Math.floor(this.store.context.clock.now());
    return {
      key: projectionKey.slice(this.version, this.slice),
      update: `SET #offset = :to, #page = :page, #skip = :skip, #moved_at = :now${to.by === undefined ? " REMOVE #by," : ", #by = :by REMOVE"} #error`,
      condition: expression,
      names: {
        ...names,
        "#page": "page",
        "#skip": "skip",
        "#by": "page_by",
        "#moved_at": "moved_at",
        "#error": "error",
      },
      values: {
        ...values,
        ":to": { N: String(to.offset) },
        ":page": { N: String(to.page) },
        ":skip": { N: String(to.skip) },
        ...(to.by !== undefined && { ":by": { S: to.by } }),
        ":now": { N: String(now) },
      },
    };
  }

  /** The same as an action, which rejects its transaction if the slice is no longer this runner's. */
  move(to: SliceCursor): TransactWriteItem {
    return this.store.action(this.moveUpdate(to));
  }

  /** The action that only rejects the transaction if the slice is no longer this runner's. */
  stay(): TransactWriteItem {
    const { expression, names, values } = this.fence;
    return {
      ConditionCheck: {
        TableName: this.store.context.table,
        Key: projectionKey.slice(this.version, this.slice),
        ConditionExpression: expression,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
      },
    };
  }

  /** Moves the position to where another database says that it is. */
  async moveTo(to: SliceCursor): Promise<void> {
    const moved = await this.store.update(this.moveUpdate(to));
    if (moved === undefined) throw new SliceLost("the fence rejects the position");
    this.cursor = to;
  }

  /** Reads the position until that works. Throws `SliceLost` if another runner has the slice, or if reading keeps failing. */
  async read(): Promise<SlicePosition> {
    const retries = this.retries();
    for (;;) {
      try {
        const position = await this.store.slice(this.version, this.slice, retries.callOptions());
        retries.succeeded();
        if (position?.owner !== this.owner || position.epoch !== this.epoch)
          throw new SliceLost("another runner has the slice");
        return position;
      } catch (error) {
        if (error instanceof SliceLost) throw error;
        if (!mayPass(error) || !(await retries.wait(error)))
          throw new SliceLost("the position cannot be read", { cause: error });
      }
    }
  }

  /** Starts the retries of one operation on the slice. Its waits end when the slice is to be given up, its requests do not. */
  retries(): SliceRetries {
    const { port, clock, random, deadlineMs } = this.store.context;
    return new SliceRetries(port, startOperation({ clock, random, signal: this.ending }, deadlineMs));
  }

  /** Frees the slice, unless another runner has it already. */
  async release(): Promise<void> {
    await this.store.update({
      key: projectionKey.slice(this.version, this.slice),
      update: "REMOVE #owner",
      condition: "#epoch = :epoch AND #owner = :owner",
      names: { "#epoch": "epoch", "#owner": "owner" },
      values: { ":epoch": { N: String(this.epoch) }, ":owner": { S: this.owner } },
    });
  }
}

/** Retries whose requests are not aborted, because their outcome could not be read any more. */
class SliceRetries extends OperationRetries {
  override callOptions(): CallOptions {
    return { ...super.callOptions(), signal: undefined };
  }
}

/** Whether a request may succeed when it is sent again. */
export function mayPass(error: unknown): error is TablekeepError {
  return (
    isTablekeepError(error) && (error.retryable || error.kind === "unavailable" || error.kind === "throttled")
  );
}

async function claimSlice(
  store: ProjectionStore,
  version: ProjectionVersion,
  owner: string,
  { slice, epoch }: SlicePosition,
): Promise<SlicePosition | undefined> {
  const id = newWriteId();
  const key = projectionKey.slice(version, slice);
  const change = {
    key,
    update: "SET #owner = :owner, #epoch = :next, claimed_by = :id",
    condition: "#epoch = :epoch",
    names: { "#owner": "owner", "#epoch": "epoch" },
    values: {
      ":owner": { S: owner },
      ":epoch": { N: String(epoch) },
      ":next": { N: String(epoch + 1) },
      ":id": { S: id },
    },
  };
  let item: Item | undefined;
  try {
    item = await store.update(change);
  } catch (error) {
    if (!isAmbiguous(error)) throw error;
    item = await store.get(key);
  }
  return item?.["claimed_by"]?.S === id ? decodeSlice(item) : undefined;
}

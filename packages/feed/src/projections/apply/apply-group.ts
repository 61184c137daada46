import { type Item, isAmbiguous, isTablekeepError } from "@tablekeep/core";
import { encodeParked, type ParkedItem, projectionKey, type SliceCursor } from "../store/projection-items.ts";
import { commit } from "./commit.ts";
import type { Group } from "./group.ts";
import { mayPass, type SliceHold, SliceLost } from "./slice-hold.ts";

/** Applies a group and moves the position, in one transaction, or with one update if there is nothing else to write. */
export async function applyGroup(
  hold: SliceHold,
  group: Group,
  to: SliceCursor,
  parked: readonly ParkedItem[],
): Promise<void> {
  const isApplied = async () => (await hold.read()).offset === to.offset;
  if (group.isBare) await moveOnly(hold, to, isApplied);
  else await commit(hold, { actions: [hold.move(to), ...group.transactItems()], isApplied });
  hold.cursor = to;
  hold.parked.push(...parked);
}

async function moveOnly(hold: SliceHold, to: SliceCursor, isApplied: () => Promise<boolean>): Promise<void> {
  const change = hold.moveUpdate(to);
  const retries = hold.retries();
  let isInDoubt = false;
  for (;;) {
    try {
      if ((await hold.store.update(change, retries.callOptions())) !== undefined) return;
      if (await isApplied()) return;
      throw new SliceLost("the fence rejects the position");
    } catch (error) {
      if (!isTablekeepError(error)) throw error;
      if (isAmbiguous(error)) {
        if (await isApplied()) return;
        isInDoubt = true;
      }
      if ((error.ambiguous || mayPass(error)) && (await retries.wait(error))) continue;
      // It may be in flight: the next claim fences it.
      if (isInDoubt) throw new SliceLost("the position could not be written", { cause: error });
      throw error;
    }
  }
}

/** Stores that an event has stopped the slice, and frees it. The epoch is raised: nothing of this runner is applied after it. */
export async function stopSlice(hold: SliceHold, failed: Item, error: string): Promise<void> {
  const { expression, names, values } = hold.fence;
  await hold.store.update({
    key: projectionKey.slice(hold.version, hold.slice),
    update: "SET #failed = :failed, #error = :error, #epoch = :next REMOVE #owner",
    condition: expression,
    names: { ...names, "#failed": "failed", "#error": "error" },
    values: {
      ...values,
      ":failed": { M: failed },
      ":error": { S: error },
      ":next": { N: String(hold.epoch + 1) },
    },
  });
}

/** Stores why the last attempt failed, for people. Not fenced by the offset: it says nothing about events. */
export async function storeError(hold: SliceHold, error: string): Promise<void> {
  const { ":epoch": epoch, ":owner": owner } = hold.fence.values;
  await hold.store.update({
    key: projectionKey.slice(hold.version, hold.slice),
    update: "SET #error = :error",
    condition: "#epoch = :epoch AND #owner = :owner",
    names: { "#epoch": "epoch", "#owner": "owner", "#error": "error" },
    values: { ":epoch": epoch ?? { N: "0" }, ":owner": owner ?? { S: "" }, ":error": { S: error } },
  });
}

/** Applies a parked event, which is then no longer parked. */
export async function applyParked(hold: SliceHold, group: Group, row: ParkedItem): Promise<void> {
  const Key = projectionKey.parked(hold.version, row.slice, row.offset);
  const removal = {
    Delete: {
      TableName: hold.store.context.table,
      Key,
      // It may have been dropped.
      ConditionExpression: "attribute_exists(#item)",
      ExpressionAttributeNames: { "#item": "item" },
    },
  };
  const actions = [hold.stay(), removal, ...group.transactItems()];
  const isApplied = async () => {
    await hold.read();
    return (await hold.store.get(Key)) === undefined;
  };
  await commit(hold, { actions, isApplied });
  hold.parked = hold.parked.filter((each) => each !== row);
}

/** Stores that a parked event has failed again. */
export async function parkAgain(hold: SliceHold, row: ParkedItem, error: string): Promise<void> {
  const at = Math.floor(hold.store.context.clock.now());
  const failed: ParkedItem = { ...row, error, at, retry: false };
  const put = {
    Put: {
      TableName: hold.store.context.table,
      Item: encodeParked(hold.version, failed),
      ConditionExpression: "attribute_exists(#item)",
      ExpressionAttributeNames: { "#item": "item" },
    },
  };
  const isApplied = async () => {
    await hold.read();
    const item = await hold.store.get(projectionKey.parked(hold.version, row.slice, row.offset));
    return item?.["retry"]?.BOOL !== true;
  };
  await commit(hold, { actions: [hold.stay(), put], isApplied });
  hold.parked = hold.parked.map((each) => (each === row ? failed : each));
}

/** Removes the events parked after the position: a rewind has left them, and they come again. */
export async function removeLeftovers(hold: SliceHold): Promise<void> {
  const left = hold.parked.filter(({ offset }) => offset >= hold.cursor.offset);
  for (let start = 0; start < left.length; start += 90) {
    const some = left.slice(start, start + 90);
    const removals = some.map(({ slice, offset }) => ({
      Delete: { TableName: hold.store.context.table, Key: projectionKey.parked(hold.version, slice, offset) },
    }));
    const last = some.at(-1) as ParkedItem;
    const isApplied = async () => {
      await hold.read();
      const key = projectionKey.parked(hold.version, last.slice, last.offset);
      return (await hold.store.get(key)) === undefined;
    };
    await commit(hold, { actions: [hold.stay(), ...removals], isApplied });
  }
  hold.parked = hold.parked.filter(({ offset }) => offset < hold.cursor.offset);
}

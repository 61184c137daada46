import type { DynamoPort, Item, Key } from "@tablekeep/core";
import {
  changeItem,
  fitsOneRequest,
  ItemChangedError,
  type ItemEdit,
} from "../../server/tables/change-item.ts";
import { CliError } from "../frame/cli-error.ts";
import type { OpenStore } from "../store/open-store.ts";
import { factsOf, keyIn, rejectOwned } from "../tables/item-arguments.ts";
import { itemOf, itemSchema, withStore } from "./table-tools.ts";
import { schemas, type Tool, type ToolArguments, type ToolCall, textOf } from "./tool.ts";
import { type UndoEntry, writeWithCheckpoint } from "./undo-checkpoints.ts";

const table = schemas.text("Name of the table. Those of journals, mail and shadows have their own tools.");

const putItem: Tool = {
  name: "put_item",
  description:
    "Stores an item, in place of any item with the same key. Returns the id that undo accepts, or null if it cannot be undone.",
  input: { table, item: itemSchema("The item") },
  writes: true,
  run: (args, call) =>
    withStore(call, async (store) => {
      const { signal } = call.io;
      const { name, key, item } = await place(store, args, "item", signal);
      const before = await currentItem(store, name, key, signal);
      const change = (old: Item | undefined): ItemEdit => ({ table: name, key, from: old, to: item });
      const { result, undo } = await writeWithCheckpoint(
        call.undoCheckpoints,
        entryOf(call, "put", change(before)),
        () => store.port.putItem({ TableName: name, Item: item, ReturnValues: "ALL_OLD" }, { signal }),
        ({ Attributes }) => entryOf(call, "put", change(Attributes)),
      );
      return { replaced: result.Attributes !== undefined, undo };
    }),
};

const deleteItem: Tool = {
  name: "delete_item",
  description: "Deletes one item by its key. Returns whether it existed, and the id that undo accepts.",
  input: { table, key: itemSchema("The key") },
  writes: true,
  run: (args, call) =>
    withStore(call, async (store) => {
      const { signal } = call.io;
      const { name, key } = await place(store, args, "key", signal);
      const before = await currentItem(store, name, key, signal);
      const change = (old: Item | undefined): ItemEdit => ({
        table: name,
        key,
        from: old,
        to: undefined,
      });
      const { result, undo } = await writeWithCheckpoint(
        call.undoCheckpoints,
        entryOf(call, "delete", change(before)),
        () => store.port.deleteItem({ TableName: name, Key: key, ReturnValues: "ALL_OLD" }, { signal }),
        ({ Attributes }) =>
          Attributes === undefined ? undefined : entryOf(call, "delete", change(Attributes)),
      );
      return { deleted: result.Attributes !== undefined, undo };
    }),
};

function currentItem(
  { port }: OpenStore,
  TableName: string,
  Key: Key,
  signal: AbortSignal,
): Promise<Item | undefined> {
  return port.getItem({ TableName, Key, ConsistentRead: true }, { signal }).then(({ Item }) => Item);
}

function entryOf(call: ToolCall, verb: string, change: ItemEdit): UndoEntry {
  const { table: name, key, from, to } = change;
  return {
    what: `${verb} ${JSON.stringify(key)} in ${name}`,
    bytes: JSON.stringify([from, to]).length,
    ...(!fitsOneRequest(change) && { final: "the item has more than 100 attributes" }),
    async undo(io) {
      await withStore({ ...call, io }, ({ port }) => undoChange(port, change, io.signal));
      return {};
    },
  };
}

/** Undoes a change if the item has not changed since. */
async function undoChange(port: DynamoPort, change: ItemEdit, signal: AbortSignal): Promise<void> {
  try {
    await changeItem(port, { ...change, from: change.to, to: change.from }, signal);
  } catch (error) {
    if (error instanceof ItemChangedError) throw new CliError("CLI_MCP_CHANGED", error.message, error);
    throw error;
  }
}

/** The table, and the item of the arguments with its key. */
async function place(
  store: OpenStore,
  args: ToolArguments,
  argument: "item" | "key",
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly key: Key; readonly item: Item }> {
  const name = textOf(args, "table") ?? "";
  const facts = await factsOf(store.port, name, signal);
  await rejectOwned(store, facts, signal);
  const item = itemOf(args, argument, facts);
  return { name, key: keyIn(item, facts), item };
}

const undo: Tool = {
  name: "undo",
  description:
    "Undoes a write of this session, by default the last one. Fails if the data has changed since. Returns the writes that can still be undone.",
  input: { id: schemas.text("The undo of the write's result.") },
  optional: ["id"],
  writes: true,
  async run(args, { undoCheckpoints, io }) {
    const undone = await undoCheckpoints.undo(textOf(args, "id"), io);
    return { ...undone, left: undoCheckpoints.list().slice(0, 20) };
  },
};

/** Tools that change items, and the one that undoes writes of all stores. */
export const itemTools: readonly Tool[] = [putItem, deleteItem, undo];

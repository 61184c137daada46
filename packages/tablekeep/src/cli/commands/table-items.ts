import { type Item, isDynamoError, type Key } from "@tablekeep/core";
import type { Command } from "commander";
import { wireItem } from "../../json/dynamodb-json.ts";
import type { TableFacts } from "../../server/tables/table-facts.ts";
import { addCommand, addConfirmOption, type ConfirmFlag } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, type CommandIo, confirm, printable } from "../frame/command-context.ts";
import { readJsonObject } from "../frame/json-argument.ts";
import {
  addStoreOptions,
  type OpenStore,
  openStore,
  requireTable,
  type StoreOptions,
} from "../store/open-store.ts";
import { factsOf, itemIn, keyIn, rejectOwned } from "../tables/item-arguments.ts";

interface PutFlags extends StoreOptions {
  readonly ifAbsent?: true;
}

/** `tablekeep table put` */
export function addTablePutCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "put", {
    summary: "store an item",
    description:
      "Stores an item, in place of any item with the same key. The item is plain JSON or DynamoDB's JSON. Tables of journals, mail and shadows are rejected: they have their own commands.",
    examples: [
      `npx tablekeep table put carts '{"id":"1","total":5}'`,
      `npx tablekeep table put carts '{"id":{"S":"1"},"total":{"N":"5"}}' --if-absent`,
    ],
  })
    .argument("<name>", "table name")
    .argument("<item>", "item in JSON; - reads it from stdin")
    .option("--if-absent", "fail if there is an item with this key");
  addStoreOptions(command).action((name: string, item: string, flags: PutFlags) =>
    put(name, item, flags, context),
  );
}

async function put(
  TableName: string,
  given: string,
  flags: PutFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  await using store = await openStore(flags, io);
  const { item, key, facts } = await itemOf(store, TableName, { what: "the item", given }, io);
  await rejectOwned(store, facts, io.signal);
  const condition = {
    ConditionExpression: "attribute_not_exists(#key)",
    ExpressionAttributeNames: { "#key": facts.partition.name },
  };
  try {
    const request = { TableName, Item: item, ...(flags.ifAbsent && condition) };
    await store.port.putItem(request, { signal: io.signal });
  } catch (error) {
    if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
    throw new CliError("CLI_ITEM_EXISTS", `${TableName} already has an item ${textOf(key)}`, error);
  }
  printDone(`Stored ${textOf(key)} in ${TableName}.`, { table: TableName, key: wireItem(key) });
}

interface ItemFlags extends StoreOptions, ConfirmFlag {}

/** `tablekeep table delete` */
export function addTableDeleteCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "delete", {
    summary: "delete an item",
    description:
      "Deletes the item with a key, in plain JSON or DynamoDB's JSON. Tables of journals, mail and shadows are rejected: they have their own commands.",
    examples: [`npx tablekeep table delete carts '{"id":"1"}' --yes`],
  })
    .argument("<name>", "table name")
    .argument("<key>", "key in JSON; - reads it from stdin");
  addStoreOptions(addConfirmOption(command)).action((name: string, key: string, flags: ItemFlags) =>
    remove(name, key, flags, context),
  );
}

async function remove(
  TableName: string,
  given: string,
  flags: ItemFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const { signal } = io;
  await using store = await openStore(flags, io);
  const { key, facts } = await itemOf(store, TableName, { what: "the key", given }, io);
  await rejectOwned(store, facts, signal);
  await requireItem(store, TableName, key, signal);
  await confirm(io, flags.yes, `This deletes ${textOf(key)} from ${TableName}.`);
  await store.port.deleteItem({ TableName, Key: key }, { signal });
  printDone(`Deleted ${textOf(key)} from ${TableName}.`, { table: TableName, key: wireItem(key) });
}

/** Returns the item with the key that the command line specifies in JSON. */
export async function readItem(store: OpenStore, table: string, given: string, io: CommandIo): Promise<Item> {
  const { key } = await itemOf(store, table, { what: "the key", given }, io);
  return requireItem(store, table, key, io.signal);
}

async function requireItem(
  { port }: OpenStore,
  TableName: string,
  key: Key,
  signal: AbortSignal,
): Promise<Item> {
  const { Item: item } = await port.getItem({ TableName, Key: key, ConsistentRead: true }, { signal });
  if (item !== undefined) return item;
  throw new CliError("CLI_NO_ITEM", `${TableName} has no item ${textOf(key)}`);
}

/** Parses an item, or a key alone, of a table that exists. */
async function itemOf(
  store: OpenStore,
  table: string,
  { what, given }: { readonly what: string; readonly given: string },
  io: CommandIo,
): Promise<{ readonly item: Item; readonly key: Key; readonly facts: TableFacts }> {
  const document = await readJsonObject(given, { what, example: '{"id":"1"}' }, io);
  await requireTable(store, table);
  const facts = await factsOf(store.port, table, io.signal);
  const item = itemIn(document, facts);
  return { item, key: keyIn(item, facts), facts };
}

function textOf(key: Key): string {
  return printable(JSON.stringify(wireItem(key)));
}

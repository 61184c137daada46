import { type Item, isDynamoError } from "@tablekeep/core";
import type { Command } from "commander";
import { wireItem } from "../../json/dynamodb-json.ts";
import { addCommand } from "../frame/add-command.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { readJsonObject } from "../frame/json-argument.ts";
import { addWaitOptions, type PollCall, pollUntil, unserved, type WaitFlags } from "../frame/poll-until.ts";
import { addStoreOptions, type OpenStore, openStore, type StoreOptions } from "../store/open-store.ts";
import { factsOf, itemIn, keyIn } from "../tables/item-arguments.ts";

interface TableWaitFlags extends StoreOptions, WaitFlags {}

type Document = Awaited<ReturnType<typeof readJsonObject>>;

/** `tablekeep table wait` */
export function addTableWaitCommand(table: Command, context: CommandContext): void {
  const command = addCommand(table, "wait", {
    summary: "wait until a table is active, or has an item",
    description:
      "Waits until a table and its indexes exist and are active. With a key, in plain JSON or DynamoDB's JSON, waits for the item and prints it. Exits with 3 after the timeout.",
    examples: ["npx tablekeep table wait carts --timeout 60", `npx tablekeep table wait carts '{"id":"1"}'`],
  })
    .argument("<name>", "table name")
    .argument("[key]", "key of an item in JSON; - reads it from stdin");
  addStoreOptions(addWaitOptions(command)).action(
    (name: string, key: string | undefined, flags: TableWaitFlags) => wait(name, key, flags, context),
  );
}

async function wait(
  name: string,
  given: string | undefined,
  flags: TableWaitFlags,
  { io, print, printDone }: CommandContext,
): Promise<void> {
  const words = { what: "the key", example: '{"id":"1"}' };
  const key = given === undefined ? undefined : await readJsonObject(given, words, io);
  await using store = await openStore(flags, io);
  let state: string | undefined;
  const found = await pollUntil(
    {
      async find(call): Promise<Item | true | undefined> {
        state = await stateOf(store, name, call);
        if (state !== "ACTIVE") return undefined;
        return key === undefined ? true : itemWith(store, name, key, call);
      },
      missing: () => missingText(name, state),
      hopeless: () => unserved(store.isExclusive),
      signal: io.signal,
    },
    flags,
  );
  if (found === true) return printDone(`${printable(name)} is active.`, { table: name, status: "ACTIVE" });
  const item = wireItem(found);
  print(JSON.stringify(item), item);
}

/** The state of a table, or of one of its indexes that is not active yet; undefined without a table. */
async function stateOf({ port }: OpenStore, TableName: string, call: PollCall): Promise<string | undefined> {
  try {
    const { Table = {} } = await port.describeTable({ TableName }, call);
    const indexes = Table.GlobalSecondaryIndexes ?? [];
    const states = [Table.TableStatus, ...indexes.map(({ IndexStatus }) => IndexStatus)];
    return states.find((each) => each !== undefined && each !== "ACTIVE") ?? "ACTIVE";
  } catch (error) {
    if (isDynamoError(error, "ResourceNotFoundException")) return undefined;
    throw error;
  }
}

async function itemWith(
  { port }: OpenStore,
  TableName: string,
  document: Document,
  call: PollCall,
): Promise<Item | undefined> {
  const facts = await factsOf(port, TableName, call.signal);
  const Key = keyIn(itemIn(document, facts), facts);
  return (await port.getItem({ TableName, Key, ConsistentRead: true }, call)).Item;
}

function missingText(name: string, state: string | undefined): string {
  if (state === undefined) return `no table ${printable(name)}`;
  return state === "ACTIVE" ? `no such item in ${printable(name)}` : `table ${printable(name)} is ${state}`;
}

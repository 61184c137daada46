import type { DynamoPort, Item, Key } from "@tablekeep/core";
import type { DocumentObject } from "@tablekeep/shadow";
import { InvalidItemError, itemOfDocument, parseItem } from "../../json/dynamodb-json.ts";
import { HttpError } from "../../server/http/http-route.ts";
import { type TableFacts, tableFacts } from "../../server/tables/table-facts.ts";
import { CliError } from "../frame/cli-error.ts";
import { isJsonObject } from "../frame/json-argument.ts";
import type { OpenStore } from "../store/open-store.ts";

/** Returns the table's keys and indexes; throws if there is no such table. */
export async function factsOf(port: DynamoPort, name: string, signal: AbortSignal): Promise<TableFacts> {
  const { Table } = await port.describeTable({ TableName: name }, { signal });
  return tableFacts(Table ?? {});
}

/** Errors of the HTTP API's parsers are errors of the arguments here. */
export function checked<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InvalidItemError || error instanceof HttpError)
      throw new CliError("CLI_VALUE_INVALID", error.message, error);
    throw error;
  }
}

/**
 * An item of a command line: in plain JSON, or in DynamoDB's. The partition key shows which: it is a string or a number in the former and
 * an object in the latter.
 */
export function itemIn(document: DocumentObject, { partition }: TableFacts): Item {
  const isTyped = isJsonObject(document[partition.name]);
  return isTyped ? checked(() => parseItem(document)) : itemOfDocument(document);
}

/** The key of an item. Throws if a part of it is missing. */
export function keyIn(item: Item, { name: table, partition, sort }: TableFacts): Key {
  const key: Key = {};
  for (const { name, type } of sort === undefined ? [partition] : [partition, sort]) {
    const value = Object.hasOwn(item, name) ? item[name] : undefined;
    if (value === undefined)
      throw new CliError("CLI_VALUE_INVALID", `the key attribute ${name} of table ${table} is missing`);
    if (value[type] === undefined)
      throw new CliError(
        "CLI_VALUE_INVALID",
        `the key attribute ${name} of table ${table} must be ${typeNames[type]}`,
      );
    key[name] = value;
  }
  return key;
}

const typeNames = {
  S: "a string",
  N: "a number",
  B: 'bytes, in DynamoDB\'s JSON: {"B":"…"}',
} as const;

/**
 * Throws for a table of a store: its items have no meaning on their own. The rule is that of the HTTP API: the stores of the
 * settings, and every store that can be recognized by its keys or its records.
 */
export async function rejectOwned(
  { config, port }: OpenStore,
  table: TableFacts,
  signal: AbortSignal,
): Promise<void> {
  const { servedTables } = await import("../../server/backend/open-backend.ts");
  const { defaultJournals } = await import("../../server/options/store-configs.ts");
  const { tableRights } = await import("../../server/tables/table-rights.ts");
  const { journals = defaultJournals, mail: store, shadows = [{}] } = config.stores;
  const [first, ...others] = shadows;
  const served = servedTables({
    journals,
    mail: { store },
    shadows: first === undefined ? false : { ...first, others },
  });
  const own = new Set(served.map(({ spec }) => spec.name));
  const reason = await tableRights({ port, isOwn: (name) => own.has(name) }).reason(table, signal);
  if (reason !== undefined) throw new CliError("CLI_VALUE_INVALID", reason);
}

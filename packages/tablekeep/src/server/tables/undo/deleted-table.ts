import { scanPages } from "@tablekeep/client";
import {
  type CreateTableInput,
  type DynamoPort,
  type Item,
  isDynamoError,
  type TableDescription,
} from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import { wireItem } from "../../../json/dynamodb-json.ts";
import { portWithTurns } from "../../backend/port-with-turns.ts";
import { HttpError } from "../../http/http-route.ts";
import { timeToLiveOf } from "../change-table.ts";
import { type TableFacts, tableFacts } from "../table-facts.ts";
import { itemStep } from "./item-step.ts";
import { tooLarge, type UndoStep } from "./undo-steps.ts";

/** The deadline of one page, in milliseconds. */
const pageMs = 60_000;

export interface DeleteTableOptions {
  /** The maximum bytes of items that are kept. */
  readonly maxBytes: number;
  /** Aborted when the client disconnects: then nothing is deleted, unless the deletion has begun. */
  readonly signal: AbortSignal;
  readonly stopping: AbortSignal;
}

/**
 * Deletes a table, and returns the steps that restore it with all its items. Nothing is deleted if the table is too large. Items
 * that others write while the table is read are kept as well.
 */
export async function deleteWithUndo(
  engine: Engine,
  { name }: TableFacts,
  { maxBytes, signal, stopping }: DeleteTableOptions,
): Promise<UndoStep[]> {
  const { Table = {} } = await engine.describeTable({ TableName: name }, { signal });
  const input = await creationOf(engine, Table, signal);
  const attribute = await timeToLiveOf(engine, name, signal);
  const copy = new TableCopy(engine, tableFacts(Table), maxBytes);
  const stop = engine.watch(name, (changes) => {
    for (const { before, after } of changes) copy.set((after ?? before) as Item, after);
  });
  try {
    await earlierWrites(engine, tableFacts(Table), signal);
    const scan = { TableName: name, ConsistentRead: true };
    const late = copy.changed;
    for await (const { Items = [] } of scanPages(portWithTurns(engine), scan, { signal, deadlineMs: pageMs }))
      for (const item of Items) if (!late.has(copy.keyOf(item))) copy.add(item);
    copy.checkSize();
    await engine.deleteTable({ TableName: name }, { signal: stopping });
  } finally {
    stop();
  }
  // The last step is undone first.
  return [...copy.steps(), createStep(engine, input, attribute)];
}

/**
 * Resolves once writes that were sent before the table was watched can be read: the watcher does not report them. A write, even if its
 * condition fails, ends after all earlier ones.
 */
async function earlierWrites(port: DynamoPort, { name, partition, sort }: TableFacts, signal: AbortSignal) {
  const values = { S: { S: "-" }, N: { N: "0" }, B: { B: new Uint8Array(1) } };
  const keys = sort === undefined ? [partition] : [partition, sort];
  const never = {
    TableName: name,
    Key: Object.fromEntries(keys.map((key) => [key.name, values[key.type]])),
    ConditionExpression: "attribute_exists(#key) AND attribute_not_exists(#key)",
    ExpressionAttributeNames: { "#key": partition.name },
  };
  try {
    await port.deleteItem(never, { signal });
  } catch (error) {
    if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
  }
}

/** The items of a table by key, as long as they fit. */
class TableCopy {
  readonly #port: DynamoPort;
  readonly #facts: TableFacts;
  readonly #maxBytes: number;
  readonly #steps = new Map<string, UndoStep>();
  #bytes = 0;
  /** The keys of items that were changed while the table was read. */
  readonly changed = new Set<string>();

  constructor(port: DynamoPort, facts: TableFacts, maxBytes: number) {
    this.#port = port;
    this.#facts = facts;
    this.#maxBytes = maxBytes;
  }

  steps(): Iterable<UndoStep> {
    return this.#steps.values();
  }

  /** As the engine returns them, equal keys have equal strings. */
  keyOf(item: Item): string {
    const { partition, sort } = this.#facts;
    const names = sort === undefined ? [partition.name] : [partition.name, sort.name];
    return JSON.stringify(names.map((name) => wireItem({ name: item[name] ?? { NULL: true } })));
  }

  add(item: Item): void {
    this.set(item, item, false);
    this.checkSize();
  }

  /** Keeps the state of an item; undefined if it was deleted. */
  set(item: Item, state: Item | undefined, isChange = true): void {
    const key = this.keyOf(item);
    if (isChange) this.changed.add(key);
    this.#bytes -= this.#steps.get(key)?.bytes ?? 0;
    this.#steps.delete(key);
    if (state === undefined) return;
    const step = itemStep(this.#port, this.#facts, { before: state, after: undefined });
    this.#steps.set(key, step);
    this.#bytes += step.bytes;
  }

  checkSize(): void {
    if (this.#bytes > this.#maxBytes) throw tooLarge(this.#maxBytes);
  }
}

/** The request that creates a table with these settings. */
async function creationOf(
  port: DynamoPort,
  table: TableDescription,
  signal: AbortSignal,
): Promise<CreateTableInput> {
  const { Tags = [] } = await port.listTagsOfResource({ ResourceArn: table.TableArn }, { signal });
  const isOnDemand = table.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST";
  const units = ({ ProvisionedThroughput }: Pick<TableDescription, "ProvisionedThroughput">) =>
    isOnDemand
      ? {}
      : {
          ProvisionedThroughput: {
            ReadCapacityUnits: ProvisionedThroughput?.ReadCapacityUnits,
            WriteCapacityUnits: ProvisionedThroughput?.WriteCapacityUnits,
          },
        };
  const { StreamSpecification, LocalSecondaryIndexes: local, GlobalSecondaryIndexes: global } = table;
  return {
    TableName: table.TableName,
    KeySchema: table.KeySchema,
    AttributeDefinitions: table.AttributeDefinitions,
    BillingMode: isOnDemand ? "PAY_PER_REQUEST" : "PROVISIONED",
    ...units(table),
    ...(local && {
      LocalSecondaryIndexes: local.map(({ IndexName, KeySchema, Projection }) => ({
        IndexName,
        KeySchema,
        Projection,
      })),
    }),
    ...(global && {
      GlobalSecondaryIndexes: global.map((index) => ({
        IndexName: index.IndexName,
        KeySchema: index.KeySchema,
        Projection: index.Projection,
        ...units(index),
        ...(index.OnDemandThroughput && { OnDemandThroughput: index.OnDemandThroughput }),
      })),
    }),
    ...(StreamSpecification?.StreamEnabled && { StreamSpecification }),
    ...(table.SSEDescription?.SSEType === "KMS" && { SSESpecification: { Enabled: true, SSEType: "KMS" } }),
    ...(table.TableClassSummary?.TableClass && { TableClass: table.TableClassSummary.TableClass }),
    ...(table.OnDemandThroughput && { OnDemandThroughput: table.OnDemandThroughput }),
    ...(Tags.length > 0 && { Tags }),
  };
}

/** Creates the table again. If someone has created a table with its name since, that table is left unchanged. */
function createStep(port: DynamoPort, input: CreateTableInput, attribute: string | undefined): UndoStep {
  const { TableName } = input;
  return {
    bytes: 1_000,
    async run(signal) {
      try {
        await port.createTable(input, { signal });
      } catch (error) {
        if (!isDynamoError(error, "ResourceInUseException")) throw error;
        throw new HttpError(
          409,
          `a table ${TableName} has been created since, and is left as it is: delete it, then undo again`,
        );
      }
      if (attribute !== undefined) {
        const TimeToLiveSpecification = { Enabled: true, AttributeName: attribute };
        await port.updateTimeToLive({ TableName, TimeToLiveSpecification }, { signal });
      }
      return true;
    },
  };
}

import type { DynamoPort, GlobalSecondaryIndexDescription, TableDescription } from "@tablekeep/core";
import { HttpError } from "../../http/http-route.ts";
import { type TableSettingChange, timeToLiveOf } from "../change-table.ts";
import type { UndoStep } from "./undo-steps.ts";

/** The settings of a table that a change replaces. */
export interface SettingsBefore {
  readonly table: TableDescription;
  readonly timeToLive: string | undefined;
}

/** Reads what {@link settingStep} needs, before the change. */
export async function settingsBefore(
  port: DynamoPort,
  TableName: string,
  signal: AbortSignal,
): Promise<SettingsBefore> {
  const { Table: table = {} } = await port.describeTable({ TableName }, { signal });
  return { table, timeToLive: await timeToLiveOf(port, TableName, signal) };
}

/** Undoes a change to the settings of a table; undefined if it changed nothing. Throws if someone has changed the same setting since. */
export function settingStep(
  port: DynamoPort,
  change: TableSettingChange,
  before: SettingsBefore,
): UndoStep | undefined {
  const undo = undoOf(port, change, before);
  if (undo === undefined) return undefined;
  return {
    bytes: 1_000,
    async run(signal) {
      await undo(signal);
      return true;
    },
  };
}

type Undo = (signal: AbortSignal) => Promise<unknown>;

function undoOf(
  port: DynamoPort,
  change: TableSettingChange,
  { table, timeToLive }: SettingsBefore,
): Undo | undefined {
  const { TableName = "" } = table;
  if ("createIndex" in change) return removeIndex(port, TableName, change.createIndex.name);
  if ("deleteIndex" in change) {
    const index = indexNamed(table, change.deleteIndex);
    return index && createIndex(port, table, index);
  }
  if ("stream" in change) {
    const view = table.StreamSpecification?.StreamViewType;
    if ((view ?? null) === change.stream) return undefined;
    return async (signal) => {
      const now = await described(port, TableName, signal);
      if ((now.StreamSpecification?.StreamViewType ?? null) !== change.stream) throw changed("the stream");
      const StreamSpecification =
        view === undefined ? { StreamEnabled: false } : { StreamEnabled: true, StreamViewType: view };
      await port.updateTable({ TableName, StreamSpecification }, { signal });
    };
  }
  if ((timeToLive ?? null) === change.timeToLive) return undefined;
  return async (signal) => {
    const now = (await timeToLiveOf(port, TableName, signal)) ?? null;
    if (now !== change.timeToLive) throw changed("the time to live");
    const AttributeName = timeToLive ?? now ?? "";
    const TimeToLiveSpecification = { Enabled: timeToLive !== undefined, AttributeName };
    await port.updateTimeToLive({ TableName, TimeToLiveSpecification }, { signal });
  };
}

function removeIndex(port: DynamoPort, TableName: string, IndexName: string): Undo {
  return async (signal) => {
    const index = indexNamed(await described(port, TableName, signal), IndexName);
    if (index === undefined) throw changed(`the index ${IndexName}`);
    await port.updateTable(
      { TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }] },
      { signal },
    );
  };
}

function createIndex(
  port: DynamoPort,
  table: TableDescription,
  index: GlobalSecondaryIndexDescription,
): Undo {
  const { IndexName = "", KeySchema, Projection, OnDemandThroughput, ProvisionedThroughput } = index;
  const { ReadCapacityUnits, WriteCapacityUnits } = ProvisionedThroughput ?? {};
  const isOnDemand = table.BillingModeSummary?.BillingMode === "PAY_PER_REQUEST";
  const Create = {
    IndexName,
    KeySchema,
    Projection,
    ...(isOnDemand
      ? OnDemandThroughput && { OnDemandThroughput }
      : { ProvisionedThroughput: { ReadCapacityUnits, WriteCapacityUnits } }),
  };
  return async (signal) => {
    const now = await described(port, table.TableName ?? "", signal);
    if (indexNamed(now, IndexName) !== undefined) throw changed(`the index ${IndexName}`);
    const known = new Map(
      [...(table.AttributeDefinitions ?? []), ...(now.AttributeDefinitions ?? [])].map((each) => [
        each.AttributeName,
        each,
      ]),
    );
    const needed = [...(now.AttributeDefinitions ?? []), ...(KeySchema ?? [])].map(
      (each) => each.AttributeName,
    );
    await port.updateTable(
      {
        TableName: table.TableName,
        AttributeDefinitions: [...new Set(needed)].flatMap((name) => known.get(name) ?? []),
        GlobalSecondaryIndexUpdates: [{ Create }],
      },
      { signal },
    );
  };
}

async function described(
  port: DynamoPort,
  TableName: string,
  signal: AbortSignal,
): Promise<TableDescription> {
  return (await port.describeTable({ TableName }, { signal })).Table ?? {};
}

function indexNamed(table: TableDescription, name: string): GlobalSecondaryIndexDescription | undefined {
  return table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name);
}

function changed(what: string): HttpError {
  return new HttpError(409, `${what} has been changed since, and is left as it is`);
}

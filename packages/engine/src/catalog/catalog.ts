import type { DynamoError } from "@tablekeep/core";
import { prefixEnd, type Storage } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { dynamoError } from "../values/dynamo-errors.ts";
import { metaKey } from "./storage-keys.ts";
import { type TableModel, type TableRecord, tableModel } from "./table-model.ts";

const tablePrefix = metaKey("table/");
const nextIdKey = metaKey("next-id");

/** The tables, in memory, as of the last commit. */
export class Catalog {
  #tables = new Map<string, TableModel>();

  /** Reads all stored tables. */
  static load(storage: Storage): Catalog {
    const catalog = new Catalog();
    catalog.reload(storage);
    return catalog;
  }

  /** Reads all tables again, for example after the storage returned to an earlier state. */
  reload(storage: Storage): void {
    const tables = new Map<string, TableModel>();
    storage.scan({ start: tablePrefix, end: prefixEnd(tablePrefix) }, (_key, value) => {
      const record = JSON.parse(value) as TableRecord;
      const model = tableModel(record, this.#tables.get(record.description.TableName));
      tables.set(model.name, model);
      return true;
    });
    // Assigned only after reading everything: a failing storage must not look like one without tables.
    this.#tables = tables;
  }

  find(name: string): TableModel | undefined {
    return this.#tables.get(name);
  }

  /** Returns the table, or throws DynamoDB's error. */
  get(name: string): TableModel {
    const table = this.#tables.get(name);
    if (table === undefined) throw dynamoError("ResourceNotFoundException", "Requested resource not found");
    return table;
  }

  /** Returns all tables, ordered by name. */
  all(): TableModel[] {
    return [...this.#tables.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Stores a table; it is in the catalog once that is durable. */
  put(transaction: WriteTransaction, record: TableRecord): TableModel {
    const model = tableModel(record, this.#tables.get(record.description.TableName));
    transaction.put(tablePrefix + model.name, JSON.stringify(record));
    transaction.onCommitted(() => this.#tables.set(model.name, model));
    return model;
  }

  /** Removes a table's record. Its items are unreachable from then on. */
  delete(transaction: WriteTransaction, name: string): void {
    transaction.delete(tablePrefix + name);
    transaction.onCommitted(() => this.#tables.delete(name));
  }

  /** Returns a table as the earlier writes leave it, including records that are not committed yet. */
  latest(transaction: WriteTransaction, name: string): TableRecord | undefined {
    const text = transaction.get(tablePrefix + name);
    return text === undefined ? undefined : (JSON.parse(text) as TableRecord);
  }

  /** Like {@link latest}; throws the error of table operations if there is none. */
  latestOrThrow(transaction: WriteTransaction, name: string): TableRecord {
    const record = this.latest(transaction, name);
    if (record === undefined) throw tableNotFound(name);
    return record;
  }

  /** Returns four bytes that no table, index or stream has had before. */
  newId(transaction: WriteTransaction): string {
    const next = Number(transaction.get(nextIdKey) ?? 1);
    transaction.put(nextIdKey, String(next + 1));
    return String.fromCharCode((next >>> 24) & 255, (next >>> 16) & 255, (next >>> 8) & 255, next & 255);
  }
}

/** The error of table operations for a missing table. Item operations report less. */
export function tableNotFound(name: string): DynamoError<"ResourceNotFoundException"> {
  return dynamoError("ResourceNotFoundException", `Requested resource not found: Table: ${name} not found`);
}

import type { DynamoError } from "@tablekeep/core";
import { prefixEnd, type Storage } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { refusal } from "../values/dynamo-errors.ts";
import { metaKey } from "./storage-keys.ts";
import { type TableModel, type TableRecord, tableModel } from "./table-model.ts";

const tablePrefix = metaKey("table/");
const nextIdKey = metaKey("next-id");

/** The tables, in memory, as the last commit left them. */
export class Catalog {
  #tables = new Map<string, TableModel>();

  /** Reads all tables that are stored. */
  static load(storage: Storage): Catalog {
    const catalog = new Catalog();
    catalog.reload(storage);
    return catalog;
  }

  /** Reads all tables anew, as after the storage went back to an earlier state. */
  reload(storage: Storage): void {
    const tables = new Map<string, TableModel>();
    storage.scan({ start: tablePrefix, end: prefixEnd(tablePrefix) }, (_key, value) => {
      const model = tableModel(JSON.parse(value) as TableRecord);
      tables.set(model.name, model);
      return true;
    });
    // Not before all is read: a storage that fails must not look like one without tables.
    this.#tables = tables;
  }

  find(name: string): TableModel | undefined {
    return this.#tables.get(name);
  }

  /** The table, or DynamoDB's refusal. */
  get(name: string): TableModel {
    const table = this.#tables.get(name);
    if (table === undefined) throw refusal("ResourceNotFoundException", "Requested resource not found");
    return table;
  }

  /** All tables, by name. */
  all(): TableModel[] {
    return [...this.#tables.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Stores a table; it is in the catalog once that is durable. */
  put(transaction: WriteTransaction, record: TableRecord): TableModel {
    const model = tableModel(record);
    transaction.put(tablePrefix + model.name, JSON.stringify(record));
    transaction.onCommitted(() => this.#tables.set(model.name, model));
    return model;
  }

  /** Removes a table's record. Its items are dead from then on. */
  delete(transaction: WriteTransaction, name: string): void {
    transaction.delete(tablePrefix + name);
    transaction.onCommitted(() => this.#tables.delete(name));
  }

  /** A table as the writes before this one leave it: a stored record that is not committed yet counts. */
  latest(transaction: WriteTransaction, name: string): TableRecord | undefined {
    const text = transaction.get(tablePrefix + name);
    return text === undefined ? undefined : (JSON.parse(text) as TableRecord);
  }

  /** Like {@link latest}, with the refusal of operations on tables where there is none. */
  latestOrRefuse(transaction: WriteTransaction, name: string): TableRecord {
    const record = this.latest(transaction, name);
    if (record === undefined) throw tableNotFound(name);
    return record;
  }

  /** Four bytes that no table, index or stream has had before. */
  newId(transaction: WriteTransaction): string {
    const next = Number(transaction.get(nextIdKey) ?? 1);
    transaction.put(nextIdKey, String(next + 1));
    return String.fromCharCode((next >>> 24) & 255, (next >>> 16) & 255, (next >>> 8) & 255, next & 255);
  }
}

/** What operations on tables say of one that is not there. Operations on items say less. */
export function tableNotFound(name: string): DynamoError<"ResourceNotFoundException"> {
  return refusal("ResourceNotFoundException", `Requested resource not found: Table: ${name} not found`);
}

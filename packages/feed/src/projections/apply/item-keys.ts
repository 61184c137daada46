import type { CallOptions, DynamoPort, Item, Key } from "@tablekeep/core";

/** The key attributes of the tables that handlers write: to tell whether two puts are of one item. */
export class ItemKeys {
  readonly #port: DynamoPort;
  readonly #names = new Map<string, Promise<readonly string[]>>();

  constructor(port: DynamoPort) {
    this.#port = port;
  }

  /** Returns the key of an item. Describes the table the first time. */
  async keyOf(table: string, item: Item, call: CallOptions): Promise<Key> {
    let names = this.#names.get(table);
    if (names === undefined) {
      names = this.#describe(table, call);
      this.#names.set(table, names);
      // A failure is not remembered.
      names.catch(() => this.#names.delete(table));
    }
    const key: Key = {};
    for (const name of await names) {
      const value = item[name];
      if (value !== undefined) key[name] = value;
    }
    return key;
  }

  async #describe(table: string, call: CallOptions): Promise<readonly string[]> {
    const { Table } = await this.#port.describeTable({ TableName: table }, call);
    return (Table?.KeySchema ?? []).map(({ AttributeName = "" }) => AttributeName);
  }
}

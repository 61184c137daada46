import type { ConsumedCapacity, ReturnConsumedCapacity } from "@tablekeep/core";
import type { IndexModel, TableModel } from "./table-model.ts";

/** The capacity that one request used of one table and its indexes. */
export class Consumption {
  readonly #table: TableModel;
  readonly #kind: "read" | "write";
  readonly #tableFactor: number;
  #tableUnits = 0;
  readonly #indexUnits = new Map<IndexModel, number>();

  /** AWS: Transactions — writes cost twice on the table itself, once on its indexes. */
  constructor(table: TableModel, kind: "read" | "write", tableFactor: 1 | 2 = 1) {
    this.#table = table;
    this.#kind = kind;
    this.#tableFactor = tableFactor;
  }

  addTable(units: number): void {
    this.#tableUnits += units * this.#tableFactor;
  }

  addIndex(index: IndexModel, units: number): void {
    this.#indexUnits.set(index, (this.#indexUnits.get(index) ?? 0) + units);
  }

  /** The units used of the table's own partitions, which its local indexes share. */
  get partitionUnits(): number {
    let units = this.#tableUnits;
    for (const [{ kind }, used] of this.#indexUnits) if (kind === "local") units += used;
    return units;
  }

  /**
   * Adds the units to the use of the table, and reports them in the requested detail. Called once, when the request
   * has succeeded. `split` also reports them as read or written, as transactions do.
   */
  finish(requested: ReturnConsumedCapacity | undefined, split = false): ConsumedCapacity | undefined {
    let total = this.#tableUnits;
    if (this.#indexUnits.size > 0) for (const units of this.#indexUnits.values()) total += units;
    addUnits(this.#table, this.#kind, total);
    if (requested !== "TOTAL" && requested !== "INDEXES") return undefined;
    const units = (value: number) => ({
      CapacityUnits: value,
      ...(split && this.#kind === "read" && { ReadCapacityUnits: value }),
      ...(split && this.#kind === "write" && { WriteCapacityUnits: value }),
    });
    const summary = { TableName: this.#table.name, ...units(total) };
    if (requested === "TOTAL") return summary;
    const indexes = (kind: IndexModel["kind"]) => {
      const used = [...this.#indexUnits].filter(([index]) => index.kind === kind);
      if (used.length === 0) return undefined;
      return Object.fromEntries(used.map(([index, value]) => [index.name, units(value)]));
    };
    return {
      ...summary,
      Table: units(this.#tableUnits),
      LocalSecondaryIndexes: indexes("local"),
      GlobalSecondaryIndexes: indexes("global"),
    };
  }
}

/** Adds units to the use of a table. */
export function addUnits({ use }: TableModel, kind: "read" | "write", units: number): void {
  if (kind === "read") use.readUnits += units;
  else use.writeUnits += units;
}

/** Finishes each, and reports the units table by table; undefined if not requested. */
export function finishAll(
  used: readonly Consumption[],
  requested: Parameters<Consumption["finish"]>[0],
  split = false,
): ConsumedCapacity[] | undefined {
  const all = used
    .map((consumption) => consumption.finish(requested, split))
    .filter((each) => each !== undefined);
  return all.length > 0 ? all : undefined;
}

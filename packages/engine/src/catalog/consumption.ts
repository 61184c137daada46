import type { ConsumedCapacity, ReturnConsumedCapacity } from "@tablekeep/core";
import type { IndexModel, TableModel } from "./table-model.ts";

/** The capacity that one request used of one table and its indexes. */
export class Consumption {
  readonly #table: TableModel;
  readonly #tableFactor: number;
  #tableUnits = 0;
  readonly #indexUnits = new Map<IndexModel, number>();

  /** AWS: Transactions — writes cost twice on the table itself, once on its indexes. */
  constructor(table: TableModel, tableFactor: 1 | 2 = 1) {
    this.#table = table;
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

  /** Reports the units in the requested detail. `split` also reports them as read or written, as transactions do. */
  report(
    requested: ReturnConsumedCapacity | undefined,
    split?: "read" | "write",
  ): ConsumedCapacity | undefined {
    if (requested !== "TOTAL" && requested !== "INDEXES") return undefined;
    let total = this.#tableUnits;
    for (const units of this.#indexUnits.values()) total += units;
    const units = (value: number) => ({
      CapacityUnits: value,
      ...(split === "read" && { ReadCapacityUnits: value }),
      ...(split === "write" && { WriteCapacityUnits: value }),
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

/** Reports the units table by table; undefined if not requested. */
export function capacityReports(
  used: readonly Consumption[],
  requested: Parameters<Consumption["report"]>[0],
  split?: "read" | "write",
): ConsumedCapacity[] | undefined {
  const all = used
    .map((consumption) => consumption.report(requested, split))
    .filter((each) => each !== undefined);
  return all.length > 0 ? all : undefined;
}

/** What Local or the engine says that one table and its indexes were charged. */
export type Units = Readonly<Record<string, unknown>>;

/** The same units with so many more on the table. */
export function plus(units: Units, more: number): Units {
  const table = units["Table"] as Units | undefined;
  return {
    ...units,
    CapacityUnits: Number(units["CapacityUnits"]) + more,
    ...(table && { Table: { ...table, CapacityUnits: Number(table["CapacityUnits"]) + more } }),
  };
}

/** The table's own units where they are reported, else the total. */
export function tableUnits(units: Units): number {
  return Number((units["Table"] as Units | undefined)?.["CapacityUnits"] ?? units["CapacityUnits"]);
}

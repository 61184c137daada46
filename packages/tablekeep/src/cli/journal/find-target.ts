import type { JournalOptions, RowFormat } from "@tablekeep/journal";
import type { OpenStore } from "../tables/open-store.ts";
import { hasTable, provideTable } from "../tables/provide-table.ts";
import { type JournalName, journalIn } from "./find-journal.ts";

/** A journal that is written into. */
export interface TargetFlags extends JournalName {
  readonly create?: true | undefined;
  readonly format?: RowFormat | undefined;
}

/** The journal to write into; its table is created first if it does not exist and `create` is given. */
export async function findTarget(
  store: OpenStore,
  { create, format, ...name }: TargetFlags,
  signal: AbortSignal,
): Promise<JournalOptions> {
  const { journalTableSpec } = await import("@tablekeep/journal");
  const { table = journalTableSpec().name, layout } = name;
  const isNew = create === true && !(await hasTable(store, table));
  await provideTable(store, journalTableSpec({ table, layout }), isNew, true);
  return { ...(await journalIn(store, { ...name, table }, signal)), format };
}

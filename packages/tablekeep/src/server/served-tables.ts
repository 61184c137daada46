import type { TableSpec } from "@tablekeep/client";
import { journalTableSpec, snapshotTableSpec } from "@tablekeep/journal";
import { mailTableSpec } from "@tablekeep/mail";
import { shadowTableSpec } from "@tablekeep/shadow";
import type { ResolvedServerOptions } from "./server-options.ts";

/** A table that a server needs. */
export interface ServedTable {
  readonly spec: TableSpec;
  /** Whether its store also works where DynamoDB expires no items. */
  readonly worksWithoutExpiry: boolean;
}

/** The tables that a server with these options needs, each once: stores may share one. */
export function servedTables({
  journals,
  mail,
  shadows,
}: Pick<ResolvedServerOptions, "journals" | "mail" | "shadows">): readonly ServedTable[] {
  const ofJournals = journals.flatMap(({ journal, snapshotTable }) => [
    // Akka creates its tables without expiry; only tombstones stay there forever then.
    { spec: journalTableSpec(journal), worksWithoutExpiry: true },
    { spec: snapshotTableSpec(snapshotTable), worksWithoutExpiry: true },
  ]);
  const others = [
    ...(mail === false ? [] : [mailTableSpec(mail.store)]),
    ...(shadows === false ? [] : [shadows, ...(shadows.others ?? [])]).map(({ store }) =>
      shadowTableSpec(store?.table),
    ),
  ];
  const all = [...ofJournals, ...others.map((spec) => ({ spec, worksWithoutExpiry: false }))];
  return [...new Map(all.map((table) => [table.spec.name, table])).values()];
}

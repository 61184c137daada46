import type { TableSpec } from "@tablekeep/client";
import { journalTableSpec, snapshotTableSpec } from "@tablekeep/journal";
import { mailTableSpec } from "@tablekeep/mail";
import { shadowTableSpec } from "@tablekeep/shadow";
import type { ResolvedServerOptions } from "./server-options.ts";

/** The tables that a server with these options needs, each once: stores may share one. */
export function servedTables({
  journals,
  mail,
  shadows,
}: Pick<ResolvedServerOptions, "journals" | "mail" | "shadows">): readonly TableSpec[] {
  const specs = [
    ...journals.flatMap(({ journal, snapshotTable }) => [
      journalTableSpec(journal),
      snapshotTableSpec(snapshotTable),
    ]),
    ...(mail === false ? [] : [mailTableSpec(mail.store)]),
    ...(shadows === false ? [] : [shadows, ...(shadows.others ?? [])]).map(({ store }) =>
      shadowTableSpec(store?.table),
    ),
  ];
  return [...new Map(specs.map((spec) => [spec.name, spec])).values()];
}

import type { JournalConfig } from "../../server/options/store-configs.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { counted, grouped } from "../frame/progress.ts";
import { journalIn } from "../journal/find-journal.ts";
import { hasTable, type OpenStore } from "../store/open-store.ts";
import { type DoctorFinding, findingOf } from "./doctor-finding.ts";

/** Verifies the first events of each journal that exists, about `limit` of them. */
export async function checkJournals(
  store: OpenStore,
  journals: readonly JournalConfig[],
  { signal }: CommandIo,
  limit: number,
): Promise<readonly DoctorFinding[]> {
  const { journalTableSpec } = await import("@tablekeep/journal");
  const findings: DoctorFinding[] = [];
  for (const { name, journal } of journals) {
    const check = `journal ${name}`;
    const table = journalTableSpec(journal).name;
    try {
      if (await hasTable(store, table))
        findings.push(await verifyStart(store, { check, table, limit }, signal));
    } catch (error) {
      findings.push(findingOf(check, error));
    }
  }
  return findings;
}

async function verifyStart(
  store: OpenStore,
  { check, table, limit }: { readonly check: string; readonly table: string; readonly limit: number },
  signal: AbortSignal,
): Promise<DoctorFinding> {
  const { verifyJournal } = await import("@tablekeep/journal/tools");
  const options = await journalIn(store, { table }, signal);
  const enough = new AbortController();
  const verification = verifyJournal(store.port, options, {
    signal: AbortSignal.any([signal, enough.signal]),
    onProgress: ({ events }) => {
      if (events >= limit) enough.abort();
    },
  });
  try {
    for await (const { severity, kind, persistenceId, message } of verification) {
      if (severity === "info") continue;
      const details = { table, persistenceId, kind };
      const advice = `"tablekeep journal verify --table ${table}" lists everything`;
      return {
        check,
        status: "wrong",
        reason: "damaged",
        details,
        message: `${persistenceId}: ${message}; ${advice}`,
      };
    }
  } catch (error) {
    if (signal.aborted || !enough.signal.aborted) throw error;
  }
  const { ids, rows } = verification.summary;
  const read = `${counted(rows, "row")} of ${counted(ids, "id")} without damage`;
  const rest = enough.signal.aborted ? `, the first ${grouped(limit)} events only` : "";
  return { check, status: "ok", reason: "undamaged", details: { ids, rows }, message: `${read}${rest}` };
}

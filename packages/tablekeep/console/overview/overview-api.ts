import { ApiError, callApi } from "../api/call-api.ts";
import { fetchJournals, type JournalFacts } from "../journal/journal-api.ts";
import type { MailSummary } from "../mail/mail-message.ts";
import { fetchShadows, fetchStores, type ShadowRow } from "../shadows/shadow-api.ts";
import type { TableFacts } from "../tables/api/table-facts.ts";
import { fetchTable, fetchTables } from "../tables/api/tables-api.ts";
import { spacedReads } from "./spaced-reads.ts";

/** The contents of a server at one moment. */
export interface Overview {
  /** Milliseconds of the browser's clock. */
  readonly at: number;
  /** Null if mail is disabled. */
  readonly mail: { readonly count: number; readonly newest: readonly MailSummary[] } | null;
  readonly journals: readonly JournalFacts[];
  /** Null if shadows are disabled. */
  readonly shadows: { readonly rows: readonly ShadowRow[]; readonly mayBeMore: boolean } | null;
  /** The first tables; `moreTables` if there are others. */
  readonly tables: readonly TableFacts[];
  readonly moreTables: boolean;
}

/** Tables that are described each time. */
const maxTables = 20;

/** Returns a function that reads the overview, and can be called repeatedly. */
export function overviewReader(): (signal: AbortSignal) => Promise<Overview> {
  // A server that has not stored them itself reads all messages of the last minutes for each count.
  const countMail = spacedReads((signal) => callApi<{ count: number }>("/api/v3/mail/count", { signal }));
  return (signal) => fetchOverview(countMail, signal);
}

type CountMail = (signal: AbortSignal) => Promise<{ readonly count: number }>;

async function fetchOverview(countMail: CountMail, signal: AbortSignal): Promise<Overview> {
  const [mail, journals, shadows, tables] = await Promise.all([
    fetchMail(countMail, signal),
    fetchJournals(signal),
    fetchThings(signal),
    fetchTables(undefined, signal),
  ]);
  const names = tables.rows.slice(0, maxTables);
  return {
    at: performance.now(),
    mail,
    journals,
    shadows,
    tables: await Promise.all(names.map((name) => fetchTable(name, signal))),
    moreTables: tables.rows.length > names.length || tables.next !== undefined,
  };
}

async function fetchMail(countMail: CountMail, signal: AbortSignal): Promise<Overview["mail"]> {
  try {
    const [{ count }, { messages }] = await Promise.all([
      countMail(signal),
      callApi<{ messages: MailSummary[] }>("/api/v3/mail/messages?limit=5", { signal }),
    ]);
    return { count, newest: messages };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

async function fetchThings(signal: AbortSignal): Promise<Overview["shadows"]> {
  if ((await fetchStores(signal)).length === 0) return null;
  const { rows, next } = await fetchShadows("", { prefix: "", next: undefined, signal });
  return { rows, mayBeMore: next !== undefined };
}

import type { TableDifference } from "@tablekeep/client";
import { isTablekeepError } from "@tablekeep/core";
import type { ServedTable } from "../../server/backend/open-backend.ts";
import type { OpenStore } from "../store/open-store.ts";
import { type DoctorFinding, findingOf } from "./doctor-finding.ts";

/** Compares each table of a server with its specification. Missing tables are wrong unless the server creates them. */
export async function checkTables(
  { port }: Pick<OpenStore, "port">,
  tables: readonly ServedTable[],
  { creates, signal }: { readonly creates: boolean; readonly signal: AbortSignal },
): Promise<readonly DoctorFinding[]> {
  const { checkTable } = await import("@tablekeep/client");
  const findings: DoctorFinding[] = [];
  for (const { spec, worksWithoutExpiry } of tables) {
    const check = `table ${spec.name}`;
    try {
      const differences = await checkTable(port, spec, { signal });
      const found = differences.filter(isUnexpected).map((difference): DoctorFinding => {
        const { severity, message, updatable: _, ...details } = difference;
        const { aspect } = details;
        const isHarmless = severity === "note" || (aspect === "expiry" && worksWithoutExpiry);
        const status = isHarmless ? "note" : "wrong";
        return { check, status, reason: "table-differs", details, message };
      });
      findings.push(
        ...(found.length > 0
          ? found
          : [{ check, status: "ok", reason: "as-specified", message: "as specified" } as const]),
      );
    } catch (error) {
      if (concernsAll(error)) throw error;
      findings.push(isMissing(error) ? missing(check, creates) : findingOf(check, error));
    }
  }
  return findings;
}

/** Feeds, rules of shadows and `table watch` enable streams, or ones with more images. */
function isUnexpected({ aspect, severity }: TableDifference): boolean {
  return aspect !== "stream" || severity !== "note";
}

/** Whether every other table would fail in the same way. */
function concernsAll(error: unknown): boolean {
  if (!isTablekeepError(error)) return false;
  return error.kind === "unavailable" || error.code === "CLIENT_CREDENTIALS_MISSING";
}

function isMissing(error: unknown): boolean {
  return isTablekeepError(error) && error.code === "CLIENT_TABLE_MISSING";
}

function missing(check: string, creates: boolean): DoctorFinding {
  return creates
    ? {
        check,
        status: "note",
        reason: "table-missing",
        message: 'does not exist yet: "tablekeep serve" creates it',
      }
    : {
        check,
        status: "wrong",
        reason: "table-missing",
        message: 'does not exist: create it with "tablekeep serve --create-tables" or --print-template',
      };
}

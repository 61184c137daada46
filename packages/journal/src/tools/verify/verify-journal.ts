import { type DynamoPort, type OptionChecks, optionCheck } from "@tablekeep/core";
import type { JournalOptions } from "../../context/journal-options.ts";
import { checkOptions } from "../../errors/journal-error.ts";
import { openToRead, type Tool } from "../open-tool.ts";
import { type IdChoice, toolIds } from "../tool-ids.ts";
import { ProgressReport, type ToolOptions, toolOptionChecks } from "../tool-options.ts";
import type { Finding, Severity } from "./finding.ts";
import { verifyId } from "./verify-id.ts";

export interface VerifyOptions extends ToolOptions, IdChoice {
  /** Decode payloads too, instead of only verifying their checksums. @default true */
  readonly decode?: boolean;
}

/** Counts of a verification: items read and findings. */
export interface VerifySummary extends Readonly<Record<Severity, number>> {
  readonly ids: number;
  readonly rows: number;
}

/** A verification: go through it for its findings. Its summary grows as it goes, and is whole at the end. */
export interface Verification extends AsyncIterable<Finding> {
  readonly summary: VerifySummary;
}

/** The checks of the options of {@link verifyJournal}. */
export const verifyOptionChecks: OptionChecks<VerifyOptions> = {
  ...toolOptionChecks,
  persistenceId: optionCheck.id,
  source: optionCheck.oneOf("registry", "index", "scan"),
  decode: optionCheck.boolean,
};

/**
 * Checks everything that can be wrong with a journal: marks against rows, gaps, incomplete batches, what staged writes and
 * deletions left, checksums, payloads, rows at wrong keys, and the registry. Only reads. The journal may be written meanwhile:
 * what is missing is read again before it is reported. Holds a few pages of rows in memory, and with a scan the ids.
 *
 * @example
 * for await (const finding of verifyJournal(port, { table: "events" })) console.log(finding);
 */
export function verifyJournal(
  port: DynamoPort,
  journal: JournalOptions = {},
  options: VerifyOptions = {},
): Verification {
  checkOptions(options, verifyOptionChecks);
  return verification(() => openToRead(port, journal, options), options);
}

/** A verification of a journal that is opened when it begins. */
export function verification(open: () => Promise<Tool>, options: VerifyOptions): Verification {
  const report = new ProgressReport(options);
  const found: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  return {
    get summary() {
      return { ids: report.ids, rows: report.events, ...found };
    },
    async *[Symbol.asyncIterator]() {
      const tool = await open();
      for await (const id of toolIds(tool, options, report)) {
        for await (const each of verifyId(tool, id, { decode: options.decode ?? true, report })) {
          found[each.severity]++;
          yield each;
        }
        report.id(id.persistenceId);
      }
    },
  };
}

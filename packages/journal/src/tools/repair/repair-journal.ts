import { type DynamoPort, optionCheck } from "@tablekeep/core";
import type { JournalOptions } from "../../journal-options.ts";
import { checkOptions } from "../../options/check-options.ts";
import { openToRead, openToWrite, type Tool } from "../open-tool.ts";
import type { Finding, Repair } from "../verify/finding.ts";
import {
  type VerifyOptions,
  type VerifySummary,
  verification,
  verifyOptionChecks,
} from "../verify/verify-journal.ts";
import { applyRepair } from "./apply-repair.ts";

export interface RepairOptions extends VerifyOptions {
  /** Whether anything is changed; without it, what would be done is listed. @default false */
  readonly apply?: boolean | undefined;
}

/** One repair, and what became of it. */
export interface RepairStep {
  readonly finding: Finding & { readonly repair: Repair };
  /** `planned` without `apply`; `not-needed` if another had done it, or it does not hold any more. */
  readonly status: "planned" | "done" | "not-needed";
}

/** A run of repairs: go through it to have them done. */
export interface Repairs extends AsyncIterable<RepairStep> {
  /** What the verification that leads it has found so far. */
  readonly summary: VerifySummary;
}

/**
 * Heals what {@link verifyJournal} finds and can be healed without losing an event: raises missing high marks, removes
 * what staged writes and deletions left, and puts ids into the registry. Changes nothing unless told to. Every repair is
 * conditional, and can be done again.
 */
export function repairJournal(
  port: DynamoPort,
  journal: JournalOptions = {},
  options: RepairOptions = {},
): Repairs {
  checkOptions(options, { ...verifyOptionChecks, apply: optionCheck.boolean });
  const { apply = false } = options;
  let tool: Promise<Tool> | undefined;
  const open = () => {
    tool ??= apply ? openToWrite(port, journal, options) : openToRead(port, journal, options);
    return tool;
  };
  const findings = verification(open, options);
  return {
    get summary() {
      return findings.summary;
    },
    async *[Symbol.asyncIterator]() {
      for await (const finding of findings) {
        const { repair } = finding;
        if (repair === undefined) continue;
        const step = { finding: { ...finding, repair } };
        if (!apply) yield { ...step, status: "planned" };
        else {
          const done = await applyRepair(await open(), finding.persistenceId, repair);
          yield { ...step, status: done ? "done" : "not-needed" };
        }
      }
    },
  };
}

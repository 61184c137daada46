import type { Clock, DynamoPort } from "@tablekeep/core";
import type { JournalOptions } from "@tablekeep/journal";
import { type Finding, type VerifySummary, verifyJournal } from "@tablekeep/journal/tools";
import { portWithTurns } from "../backend/port-with-turns.ts";
import { HttpError } from "../http/http-route.ts";

/** The time of one verification, in milliseconds: shorter than the deadline of its callers. */
const maxMs = 45_000;

/** The maximum number of findings in a response. */
const maxFindings = 1_000;

/** The result of a verification. */
export interface JournalVerification extends VerifySummary {
  readonly findings: readonly Finding[];
  /** False if it ended early, because of its time or the number of findings. */
  readonly complete: boolean;
}

/** Verifies journals, one at a time and within limits, so that other requests go on being served. */
export class JournalVerifier {
  readonly #port: DynamoPort;
  readonly #clock: Clock;
  #isBusy = false;

  constructor(port: DynamoPort, clock: Clock) {
    this.#port = portWithTurns(port);
    this.#clock = clock;
  }

  /** Verifies a journal, or one id of it. */
  async verify(
    journal: JournalOptions,
    persistenceId: string | undefined,
    signal: AbortSignal,
  ): Promise<JournalVerification> {
    if (this.#isBusy) throw new HttpError(429, "another journal is being verified", { "retry-after": "10" });
    this.#isBusy = true;
    const timeout = new AbortController();
    const cancel = this.#clock.after(maxMs, () => timeout.abort(), { background: true });
    const call = { signal: AbortSignal.any([signal, timeout.signal]), persistenceId };
    const verification = verifyJournal(this.#port, journal, call);
    const findings: Finding[] = [];
    let complete = true;
    try {
      for await (const finding of verification) {
        findings.push(finding);
        complete = findings.length < maxFindings;
        if (!complete) break;
      }
    } catch (error) {
      if (!timeout.signal.aborted || signal.aborted) throw error;
      complete = false;
    } finally {
      cancel();
      this.#isBusy = false;
    }
    return { ...verification.summary, complete, findings };
  }
}

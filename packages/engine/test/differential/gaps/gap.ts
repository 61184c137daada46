import type { Outcome } from "../run/outcome.ts";
import type { Step } from "../step.ts";

/** What both backends made of a step. */
export interface Met {
  readonly step: Step;
  readonly engine: Outcome;
  readonly local: Outcome;
}

/**
 * A place where DynamoDB Local is known to differ from DynamoDB. It says what Local's outcome would be without that, as
 * far as it can be told from the outcome itself; the rest of it is compared all the same.
 */
export interface Gap {
  readonly name: string;
  /** Where it is written, or was seen on AWS, that DynamoDB behaves otherwise. */
  readonly source: string;
  /** Local's outcome without the difference; the same object where there is none. */
  readonly mend: (met: Met) => Outcome;
}

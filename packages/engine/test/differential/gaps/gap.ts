import type { Change } from "../run/items.ts";
import type { Outcome } from "../run/outcome.ts";
import type { Step } from "../step.ts";

/** What both backends made of a step. */
export interface Met {
  readonly step: Step;
  readonly engine: Outcome;
  readonly local: Outcome;
  /** The items that a write names, before and after it. */
  readonly changes: readonly Change[];
}

/**
 * A place where DynamoDB Local is known to differ from DynamoDB. It computes what Local's outcome would be without that, from
 * the request, the outcome and the items. It may return the engine's outcome only after it has verified, without code of
 * the engine, everything in it that Local's outcome does not show.
 */
export interface Gap {
  readonly name: string;
  /** Where it is written, or was seen on AWS, that DynamoDB behaves otherwise. */
  readonly source: string;
  /** Returns Local's outcome without the difference; the same object where there is none. */
  readonly mend: (met: Met) => Outcome;
}

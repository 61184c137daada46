import type { Change } from "../run/items.ts";
import type { Answer, Outcome } from "../run/outcome.ts";
import type { Step } from "../step.ts";

/** The outcomes of a step on both backends. */
export interface StepOutcomes {
  readonly step: Step;
  readonly engine: Outcome;
  readonly local: Outcome;
  /** The items that a write names, before and after it. */
  readonly changes: readonly Change[];
}

/**
 * A known difference between DynamoDB Local and DynamoDB. It computes what Local's outcome would be without it, from
 * the request, the outcome and the items. It may return the engine's outcome only after verifying, without the
 * engine's code, everything in it that Local's outcome does not show.
 */
export interface Gap {
  readonly name: string;
  /** Where DynamoDB's behavior is documented, or was seen on AWS. */
  readonly source: string;
  /** Returns Local's outcome without the difference; the same object if there is none. */
  readonly correct: (met: StepOutcomes) => Outcome;
}

/**
 * A gap in answers: `correct` receives each with the engine's of the same number, and returns the same or a corrected
 * one.
 */
export function answerGap(
  name: string,
  source: string,
  correct: (answer: Answer, engine: Answer, met: StepOutcomes) => Answer,
): Gap {
  return {
    name,
    source,
    correct(met: StepOutcomes): Outcome {
      const { engine, local } = met;
      if (engine.kind !== "answers" || local.kind !== "answers") return local;
      const answers = local.answers.map((answer, at) => correct(answer, engine.answers[at] ?? {}, met));
      return answers.every((answer, at) => answer === local.answers[at])
        ? local
        : { kind: "answers", answers };
    },
  };
}

/** What Local or the engine reports as charged for one table and its indexes. */
export type Units = Readonly<Record<string, unknown>>;

/** Returns the same units with this many more on the table. */
export function plus(units: Units, more: number): Units {
  const table = units["Table"] as Units | undefined;
  return {
    ...units,
    CapacityUnits: Number(units["CapacityUnits"]) + more,
    ...(table && { Table: { ...table, CapacityUnits: Number(table["CapacityUnits"]) + more } }),
  };
}

/** Returns the table's own units if they are reported, otherwise the total. */
export function tableUnits(units: Units): number {
  return Number((units["Table"] as Units | undefined)?.["CapacityUnits"] ?? units["CapacityUnits"]);
}

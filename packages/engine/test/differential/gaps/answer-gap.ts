import type { Answer, Outcome } from "../run/outcome.ts";
import type { Gap, Met } from "./gap.ts";

/** A gap that shows in answers: `mend` gets each with the engine's of the same number, and gives the same or another. */
export function answerGap(
  name: string,
  source: string,
  mend: (answer: Answer, engine: Answer, met: Met) => Answer,
): Gap {
  return {
    name,
    source,
    mend(met: Met): Outcome {
      const { engine, local } = met;
      if (engine.kind !== "answers" || local.kind !== "answers") return local;
      const answers = local.answers.map((answer, at) => mend(answer, engine.answers[at] ?? {}, met));
      return answers.every((answer, at) => answer === local.answers[at])
        ? local
        : { kind: "answers", answers };
    },
  };
}

import { expect, test } from "vitest";
import type { Outcome } from "../run/outcome.ts";
import type { Step } from "../step.ts";
import { matchesSingleActions } from "./transaction-faults.ts";

/** An action, as the names of its faults. */
type Action = Readonly<Record<string, "wrong">>;

const texts: Readonly<Record<string, string>> = {
  Key: "the key is too long",
  Index: "the key of an index is empty",
  Condition: "the condition failed",
};

/** A backend that reports the first of these faults of each action, and rejects a whole transaction for those in `whole`. */
function backend(order: readonly string[], whole: readonly string[]): (step: Step) => Outcome {
  return ({ input }) => {
    const actions = (input["TransactItems"] ?? []) as readonly Action[];
    const faults = actions.map((action) => order.find((name) => action[name] === "wrong"));
    const first = faults.find((name) => name !== undefined && whole.includes(name));
    if (first !== undefined) {
      const message = texts[first] ?? "";
      return { kind: "rejected", rejection: { exception: "ValidationException", status: 400, message } };
    }
    if (faults.every((name) => name === undefined)) return { kind: "answers", answers: [{}] };
    const reasons = faults.map((name) =>
      name === undefined ? { Code: "None" } : { Code: "ValidationError", Message: texts[name] },
    );
    const message = "Transaction cancelled";
    return {
      kind: "rejected",
      rejection: { exception: "TransactionCanceledException", status: 400, message, reasons },
    };
  };
}

const engine = backend(["Index", "Key", "Condition"], ["Index"]);

function matches(actions: readonly Action[], local: (step: Step) => Outcome): Promise<boolean> {
  const step: Step = { operation: "TransactWriteItems", input: { TransactItems: actions } };
  return matchesSingleActions(
    step,
    { engine: engine(step), local: local(step) },
    { engine: async (alone) => engine(alone), local: async (alone) => local(alone) },
  );
}

test("the engine rejects a transaction as a whole, and DynamoDB Local cancels it for faults of its actions", async () => {
  const local = backend(["Key", "Condition", "Index"], ["Index"]);
  const both: Action = { Key: "wrong", Index: "wrong" };
  expect(await matches([both, { Condition: "wrong" }], local)).toBe(true);
});

test("a fault that one side alone reports explains nothing", async () => {
  const both: Action = { Key: "wrong", Index: "wrong" };
  expect(await matches([both, { Condition: "wrong" }], backend(["Key", "Condition"], []))).toBe(false);
  expect(await matches([{ Index: "wrong" }, {}], backend(["Key"], []))).toBe(false);
});

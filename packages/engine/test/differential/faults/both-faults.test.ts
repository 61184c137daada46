import { expect, test } from "vitest";
import type { Outcome } from "../run/outcome.ts";
import type { Step } from "../step.ts";
import { hasBothFaults } from "./both-faults.ts";

type Fault = (input: Step["input"]) => string | undefined;

const color: Fault = (input) => (input["Color"] === "none" ? "there is no such color" : undefined);
const shape: Fault = (input) => (input["Shape"] === "none" ? "there is no such shape" : undefined);
const size: Fault = (input) => (input["Size"] === "none" ? "there is no such size" : undefined);

/** A backend that checks for these faults, in this order. */
function backend(...faults: readonly Fault[]): (step: Step) => Outcome {
  return ({ input }) => {
    const [message] = faults.flatMap((fault) => fault(input) ?? []);
    if (message === undefined) return { kind: "answers", answers: [{}] };
    return { kind: "rejected", rejection: { exception: "ValidationException", status: 400, message } };
  };
}

async function both(
  input: Step["input"],
  engine: (step: Step) => Outcome,
  local: (step: Step) => Outcome,
): Promise<boolean> {
  const step: Step = { operation: "GetItem", input };
  return hasBothFaults(
    step,
    { engine: engine(step), local: local(step) },
    { engine: async (repaired) => engine(repaired), local: async (repaired) => local(repaired) },
  );
}

const broken = { Color: "none", Shape: "none", Size: "none" };

test("recognizes two faults of which each backend reports a different one", async () => {
  const input = { Color: "none", Shape: "none" };
  expect(await both(input, backend(color, shape), backend(shape, color))).toBe(true);
});

test("repairs faults between the two one after the other", async () => {
  expect(await both(broken, backend(color, size, shape), backend(shape, size, color))).toBe(true);
});

test("repairs faults with the same message one after the other", async () => {
  const sameWords: Fault = (input) => size(input) && "there is no such color";
  expect(await both(broken, backend(color, sameWords, shape), backend(shape, color, sameWords))).toBe(true);
});

test("a fault that only the engine reports explains nothing", async () => {
  expect(await both(broken, backend(color, shape), backend(shape))).toBe(false);
});

test("a fault that only DynamoDB Local reports explains nothing", async () => {
  expect(await both(broken, backend(color), backend(shape, color))).toBe(false);
});

test("another message for a single fault explains nothing", async () => {
  const words: Fault = (input) => color(input) && "what a color";
  expect(await both({ Color: "none" }, backend(color), backend(words))).toBe(false);
});

test("an answer on one side and an error on the other are never explained", async () => {
  expect(await both(broken, backend(color), backend())).toBe(false);
});

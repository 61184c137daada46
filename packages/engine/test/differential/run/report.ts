import type { Step } from "../step.ts";
import type { Difference } from "./run-sequence.ts";

/** Longer strings are cut; they only fill pages. */
const shownText = 200;

/** Formats the steps until the backends differed, and the difference. */
export function report(steps: readonly Step[], { at, step, engine, local }: Difference): string {
  const before = steps.slice(0, at).map((each) => `  ${each.operation} ${shown(each.input)}`);
  return [
    `the engine and DynamoDB Local differ in step ${at + 1} after:`,
    ...before,
    `step:   ${step.operation} ${shown(step.input)}`,
    `engine: ${shown(engine)}`,
    `local:  ${shown(local)}`,
  ].join("\n");
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (member instanceof Uint8Array) return `bytes:${Buffer.from(member).toString("hex")}`;
    if (typeof member === "string" && member.length > shownText) {
      return `${member.slice(0, 40)}… (${member.length} characters)`;
    }
    return member;
  });
}

import { TestkitError } from "../base/testkit-error.ts";
import { faultFields, faultKinds, fieldsOf } from "./fault-fields.ts";
import type { Fault, FaultKind, FaultSchedule } from "./fault-schedule.ts";

/**
 * Reads what {@link printSchedule} wrote; throws TESTKIT_SCHEDULE_INVALID with the reason for anything else.
 *
 * @example
 * parseSchedule("seed=7 faults=[{at:17,kind:throttle}]").seed; // 7
 */
export function parseSchedule(text: string): FaultSchedule {
  const line = /^\s*seed=(\d+)\s+faults=\[(.*)\]\s*$/s.exec(text);
  if (line === null) throw invalid(text, "expected seed=NUMBER faults=[{kind:…},…]");
  const seed = Number(line[1]);
  if (!Number.isSafeInteger(seed)) throw invalid(text, "the seed is not a safe integer");
  return { seed, faults: splitFaults(line[2] ?? "", text).map((fault) => parseFault(fault, text)) };
}

/** Braces do not nest: the next `}` ends a fault. */
function splitFaults(inside: string, text: string): string[] {
  const faults: string[] = [];
  let rest = inside.trim();
  while (rest !== "") {
    const found = /^\{([^{}]*)\}\s*(,\s*(?=\{)|$)/.exec(rest);
    if (found === null) throw invalid(text, `expected {…} or ,{…} at «${rest.slice(0, 30)}»`);
    faults.push(found[1] ?? "");
    rest = rest.slice(found[0].length);
  }
  return faults;
}

function parseFault(inside: string, text: string): Fault {
  const fields = new Map<string, string>();
  for (const part of inside.split(/,(?![^[]*\])/)) {
    const [, name = "", value = ""] = /^\s*(\w+)\s*:\s*(.*?)\s*$/.exec(part) ?? [];
    if (name === "") throw invalid(text, `«${part}» is not name:value`);
    if (fields.has(name)) throw invalid(text, `${name} is given twice`);
    fields.set(name, value);
  }
  const kind = faultKinds.find((each) => each === fields.get("kind"));
  if (kind === undefined) throw invalid(text, `kind must be one of ${faultKinds.join(", ")}`);
  fields.delete("kind");
  return { ...parseFields(kind, fields, text), kind } as Fault;
}

function parseFields(kind: FaultKind, fields: ReadonlyMap<string, string>, text: string): object {
  const { allowed, required } = fieldsOf(kind);
  for (const name of required) {
    if (!fields.has(name)) throw invalid(text, `${kind} needs ${name}`);
  }
  const parsed: [string, unknown][] = [...fields].map(([name, value]) => {
    const field = allowed.includes(name) ? faultFields[name] : undefined;
    if (field === undefined)
      throw invalid(text, `${kind} has no field ${name}; it has ${allowed.join(", ")}`);
    const result = field.parse(value);
    if (result === undefined || !fits(kind, name, result)) {
      throw invalid(text, `${name} of ${kind} is «${value}», expected ${field.shape}`);
    }
    return [name, result];
  });
  return Object.fromEntries(parsed);
}

/** `items` is a number of items for a page, and a list of positions for a batch. */
function fits(kind: FaultKind, name: string, value: unknown): boolean {
  return name !== "items" || (kind === "page-cut") === (typeof value === "number");
}

function invalid(text: string, reason: string): TestkitError {
  return new TestkitError("TESTKIT_SCHEDULE_INVALID", `invalid fault schedule: ${reason}`, { text, reason });
}

/**
 * Prints a schedule as one line, which {@link parseSchedule} reads: `seed=7 faults=[{at:17,op:PutItem,kind:lost-after-apply}]`.
 *
 * @example
 * printSchedule(randomSchedule(5)); // seed=5 faults=[…]
 */
export function printSchedule(schedule: FaultSchedule): string {
  return `seed=${schedule.seed} faults=[${schedule.faults.map(printFault).join(",")}]`;
}

/**
 * Prints one fault of a schedule.
 *
 * @example
 * printFault({ at: 17, kind: "throttle" }); // {at:17,kind:throttle}
 */
export function printFault(fault: Fault): string {
  const value: Readonly<Record<string, unknown>> = { ...fault };
  // Unknown fields are printed too, so that `parseSchedule` rejects them: without it, a misspelled place would match everywhere.
  const printed = ["at", "nth", "op", "table", "kind", ...Object.keys(faultFields), ...Object.keys(value)]
    .filter((name, index, names) => names.indexOf(name) === index && value[name] !== undefined)
    .map((name) => `${name}:${faultFields[name]?.print(value[name] as never) ?? String(value[name])}`);
  return `{${printed.join(",")}}`;
}

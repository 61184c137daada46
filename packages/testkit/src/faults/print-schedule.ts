import { faultFields } from "./fault-fields.ts";
import type { Fault, FaultSchedule } from "./fault-schedule.ts";

/** A schedule as one line, which {@link parseSchedule} reads: `seed=7 faults=[{at:17,op:PutItem,kind:lost-after-apply}]`. */
export function printSchedule(schedule: FaultSchedule): string {
  return `seed=${schedule.seed} faults=[${schedule.faults.map(printFault).join(",")}]`;
}

/** One fault as it stands in a schedule. */
export function printFault(fault: Fault): string {
  const value: Readonly<Record<string, unknown>> = { ...fault };
  // What is no field is printed, too, for `parseSchedule` to refuse: left out, a misspelt place would be everywhere.
  const printed = ["at", "nth", "op", "table", "kind", ...Object.keys(faultFields), ...Object.keys(value)]
    .filter((name, index, names) => names.indexOf(name) === index && value[name] !== undefined)
    .map((name) => `${name}:${faultFields[name]?.print(value[name] as never) ?? String(value[name])}`);
  return `{${printed.join(",")}}`;
}

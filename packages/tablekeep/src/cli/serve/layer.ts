import { CliError } from "../cli-error.ts";
import type { SettingValue } from "./setting.ts";
import type { SettingKey } from "./settings.ts";

/** What somebody said about a setting, and where: a flag, a variable, a file. */
export interface Said {
  readonly value: SettingValue;
  readonly from: string;
}

/** What was said in one place: on the command line, in variables, in a file. */
export type Layer = ReadonlyMap<SettingKey, Said>;

/** One of `layers` that says the same thing twice is taken; another is refused. */
export function joined(layers: readonly Layer[], rule: string): Layer {
  const all = new Map<SettingKey, Said>();
  for (const [key, said] of layers.flatMap((layer) => [...layer])) {
    const first = all.get(key);
    if (first !== undefined && first.value !== said.value) {
      throw new CliError(
        "CLI_OPTION_CONFLICT",
        `${first.from} says ${first.value} and ${said.from} says ${said.value}: ${rule}`,
      );
    }
    if (first === undefined) all.set(key, said);
  }
  return all;
}

/** They settle together: who names one of them says that the others do not count. */
const places: readonly SettingKey[] = ["data", "endpoint", "region"];

/** Of all that was said, what counts: the first layer that has it. */
export function inForce(layers: readonly Layer[]): Layer {
  for (const layer of layers) refuseTwoPlaces(layer);
  const decider = layers.find((layer) => places.some((key) => layer.has(key)));
  const all = new Map<SettingKey, Said>();
  for (const layer of layers) {
    for (const [key, said] of layer) {
      const isSettled = all.has(key) || (places.includes(key) && layer !== decider);
      if (!isSettled) all.set(key, said);
    }
  }
  return all;
}

function refuseTwoPlaces(layer: Layer): void {
  const data = layer.get("data");
  const other = layer.get("endpoint") ?? layer.get("region");
  if (data === undefined || other === undefined) return;
  throw new CliError(
    "CLI_OPTION_CONFLICT",
    `${data.from} and ${other.from} each say where the data is: leave one of them out`,
  );
}

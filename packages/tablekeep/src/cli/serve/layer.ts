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
const places: readonly SettingKey[] = ["data", "memory", "endpoint", "region"];

/** What a layer says about where the data is. That it is not in memory says nothing. */
function placesIn(layer: Layer): Said[] {
  const said = places.map((key) => layer.get(key));
  return said.filter((each) => each !== undefined && each.value !== false) as Said[];
}

/** Of all that was said, what counts: the first layer that has it. */
export function inForce(layers: readonly Layer[]): Layer {
  for (const layer of layers) refuseTwoPlaces(layer);
  const decider = layers.find((layer) => placesIn(layer).length > 0);
  const all = new Map<SettingKey, Said>();
  for (const layer of layers) {
    for (const [key, said] of layer) {
      const isSettled = all.has(key) || (places.includes(key) && layer !== decider);
      if (!isSettled) all.set(key, said);
    }
  }
  return all;
}

/** A region may have an endpoint beside it; all else is a place of its own. */
function refuseTwoPlaces(layer: Layer): void {
  const both = layer.has("endpoint") && layer.has("region");
  const [first, second] = placesIn(layer).filter((said) => !both || said !== layer.get("endpoint"));
  if (first === undefined || second === undefined) return;
  throw new CliError(
    "CLI_OPTION_CONFLICT",
    `${first.from} and ${second.from} each say where the data is: leave one of them out`,
  );
}

import { CliError } from "../frame/cli-error.ts";
import type { SettingValue } from "./setting.ts";
import type { MailhogSettings, SettingKey } from "./settings.ts";

/** What somebody said about a setting, and where: a flag, a variable, a file. */
export interface SourcedSetting {
  readonly value: SettingValue;
  readonly from: string;
}

/** What was said in one place: on the command line, in variables, in a file. */
export type Layer = ReadonlyMap<SettingKey, SourcedSetting>;

/** One of `layers` that says the same thing twice is taken; another is refused. */
export function joined(layers: readonly Layer[], rule: string): Layer {
  const all = new Map<SettingKey, SourcedSetting>();
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
function placesIn(layer: Layer): SourcedSetting[] {
  const said = places.map((key) => layer.get(key));
  return said.filter((each) => each !== undefined && each.value !== false) as SourcedSetting[];
}

/** Of all that was said, what counts: the first layer that has it. */
export function effectiveSettings(layers: readonly Layer[]): Layer {
  for (const layer of layers) refuseTwoPlaces(layer);
  const decider = layers.find((layer) => placesIn(layer).length > 0);
  const all = new Map<SettingKey, SourcedSetting>();
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

/** The word that was probably meant: the one with the fewest letters changed, if those are few. */
export function closestWord(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, distance: distance(word.toLowerCase(), each.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  return best !== undefined && best.distance <= Math.max(2, word.length / 4) ? best.each : undefined;
}

/** How many letters are to be added, left out or changed to get from one word to the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const changed = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Where an SMTP server is. */
export interface SmtpPlace {
  readonly host: string;
  readonly port: number;
}

/** `localhost:1025`, `[::1]:1025`. */
export function smtpPlace(text: string): SmtpPlace {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    throw new CliError("CLI_VALUE_INVALID", `${text} is no host:port: give one such as localhost:1025`);
  }
  return { host, port: Number(port) };
}

/** What addresses of MailHog's say in our words. `nameOf` tells where each was said. */
export function bindAddresses(
  { smtpBindAddr, apiBindAddr, uiBindAddr }: Omit<MailhogSettings, "storage">,
  nameOf: (key: keyof MailhogSettings) => string,
): Layer {
  const smtp = layerOf(smtpBindAddr, nameOf("smtpBindAddr"), "smtpHost", "smtpPort");
  const api = layerOf(apiBindAddr, nameOf("apiBindAddr"), "httpHost", "httpPort");
  const ui = layerOf(uiBindAddr, nameOf("uiBindAddr"), "httpHost", "httpPort");
  return joined([smtp, api, ui], "the web page and the API share one address");
}

function layerOf(address: string | undefined, from: string, host: SettingKey, port: SettingKey): Layer {
  if (address === undefined) return new Map();
  const place = placeOf(address);
  return new Map<SettingKey, SourcedSetting>([
    [host, { value: place.host, from }],
    [port, { value: place.port, from }],
  ]);
}

/** Go takes an address without a host for all of the machine's. */
function placeOf(address: string): { readonly host: string; readonly port: number } {
  return smtpPlace(address.startsWith(":") ? `0.0.0.0${address}` : address);
}

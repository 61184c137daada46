import { CliError } from "../frame/cli-error.ts";
import type { MailhogKey } from "./mailhog-settings.ts";
import type { SettingValue } from "./setting.ts";
import type { SettingKey } from "./settings.ts";

/** The value of a setting and its source: a flag, a variable, a file or `default`. */
export interface SourcedSetting {
  readonly value: SettingValue;
  readonly from: string;
}

/** The settings of one source: the command line, the environment, a file. */
export type Layer = ReadonlyMap<SettingKey, SourcedSetting>;

/** Merges layers of equal precedence. The same value twice is fine; different values are an error that ends with `rule`. */
export function mergeLayers(layers: readonly Layer[], rule: string): Layer {
  const merged = new Map<SettingKey, SourcedSetting>();
  for (const [key, setting] of layers.flatMap((layer) => [...layer])) {
    const first = merged.get(key);
    if (first !== undefined && first.value !== setting.value) {
      throw new CliError(
        "CLI_OPTION_CONFLICT",
        `${first.from} is ${first.value} but ${setting.from} is ${setting.value}: ${rule}`,
      );
    }
    if (first === undefined) merged.set(key, setting);
  }
  return merged;
}

/** Settings of the data's location. They are mutually exclusive: the first layer with any of them decides. */
const locationKeys: readonly SettingKey[] = ["data", "memory", "endpoint", "region"];

/** The settings of the data's location in a layer. `memory: false` is not one. */
function locationsIn(layer: Layer): SourcedSetting[] {
  const found = locationKeys.map((key) => layer.get(key));
  return found.filter((each) => each !== undefined && each.value !== false) as SourcedSetting[];
}

/** The effective settings of layers in order of precedence. */
export function effectiveSettings(layers: readonly Layer[]): Layer {
  for (const layer of layers) rejectTwoLocations(layer);
  const decider = layers.find((layer) => locationsIn(layer).length > 0);
  const effective = new Map<SettingKey, SourcedSetting>();
  for (const layer of layers) {
    for (const [key, setting] of layer) {
      const isOverridden = effective.has(key) || (locationKeys.includes(key) && layer !== decider);
      if (!isOverridden) effective.set(key, setting);
    }
  }
  return effective;
}

/** A region may have an endpoint; all other combinations are errors. */
function rejectTwoLocations(layer: Layer): void {
  const both = layer.has("endpoint") && layer.has("region");
  const [first, second] = locationsIn(layer).filter((each) => !both || each !== layer.get("endpoint"));
  if (first === undefined || second === undefined) return;
  throw new CliError(
    "CLI_OPTION_CONFLICT",
    `${first.from} and ${second.from} both set where the data is: remove one of them`,
  );
}

/** The known word with the smallest edit distance to `word`, if that is small; for suggestions. */
export function closestWord(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, distance: editDistance(word.toLowerCase(), each.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  return best !== undefined && best.distance <= Math.max(2, word.length / 4) ? best.each : undefined;
}

/** Levenshtein distance. */
function editDistance(one: string, other: string): number {
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

/** The address of an SMTP server. */
export interface SmtpAddress {
  readonly host: string;
  readonly port: number;
}

/** Parses `localhost:1025` or `[::1]:1025`. */
export function parseSmtpAddress(text: string): SmtpAddress {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    throw new CliError("CLI_VALUE_INVALID", `expected host:port, such as localhost:1025, got "${text}"`);
  }
  return { host, port: Number(port) };
}

/** The settings that correspond to MailHog's addresses. `nameOf` returns the source of each. */
export function bindAddresses(
  addresses: Readonly<Partial<Record<MailhogKey, string | undefined>>>,
  nameOf: (key: MailhogKey) => string,
): Layer {
  const layerOf = (key: MailhogKey, host: SettingKey, port: SettingKey): Layer => {
    const address = addresses[key];
    if (address === undefined) return new Map();
    // Go listens on all addresses if the host is omitted.
    const parsed = parseSmtpAddress(address.startsWith(":") ? `0.0.0.0${address}` : address);
    const from = nameOf(key);
    return new Map<SettingKey, SourcedSetting>([
      [host, { value: parsed.host, from }],
      [port, { value: parsed.port, from }],
    ]);
  };
  const smtp = layerOf("smtpBindAddr", "smtpHost", "smtpPort");
  const api = layerOf("apiBindAddr", "httpHost", "httpPort");
  const ui = layerOf("uiBindAddr", "httpHost", "httpPort");
  return mergeLayers([smtp, api, ui], "the console and the API share one address");
}

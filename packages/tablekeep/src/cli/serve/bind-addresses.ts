import { smtpPlace } from "../sendmail/smtp-place.ts";
import { joined, type Layer, type Said } from "./layer.ts";
import type { MailhogSettings } from "./mailhog-settings.ts";
import type { SettingKey } from "./settings.ts";

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
  return new Map<SettingKey, Said>([
    [host, { value: place.host, from }],
    [port, { value: place.port, from }],
  ]);
}

/** Go takes an address without a host for all of the machine's. */
function placeOf(address: string): { readonly host: string; readonly port: number } {
  return smtpPlace(address.startsWith(":") ? `0.0.0.0${address}` : address);
}

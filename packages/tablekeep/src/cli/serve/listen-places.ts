import { CliError } from "../cli-error.ts";
import { smtpPlace } from "../sendmail/smtp-place.ts";

/** Where to listen. Undefined is left to the server's defaults. */
export interface ListenPlaces {
  readonly host: string | undefined;
  readonly httpPort: number | undefined;
  readonly smtpPort: number | undefined;
}

/** Addresses as MailHog has them, host:port. */
export interface BindAddresses {
  readonly smtp: string | undefined;
  readonly api: string | undefined;
  readonly ui: string | undefined;
}

interface Said<Value> {
  readonly by: string;
  readonly value: Value | undefined;
}

/**
 * Where to listen, by what was said on the command line: with flags of our own (`given`) or of MailHog's (`flags`). What
 * none of them says is left to MailHog's `variables`. What contradicts is refused: there is one host, and one port for
 * page and API.
 */
export function listenPlaces(
  given: ListenPlaces,
  flags: BindAddresses,
  variables: BindAddresses,
): ListenPlaces {
  const said = saidBy(flags, { smtp: "--smtp-bind-addr", api: "--api-bind-addr", ui: "--ui-bind-addr" });
  const left = saidBy(variables, {
    smtp: "MH_SMTP_BIND_ADDR",
    api: "MH_API_BIND_ADDR",
    ui: "MH_UI_BIND_ADDR",
  });
  const sameHost = "all listen on one host";
  const samePort = "the web page and the API share one port";
  return {
    host:
      agreed([{ by: "--host", value: given.host }, ...said.hosts], sameHost) ?? agreed(left.hosts, sameHost),
    httpPort:
      agreed([{ by: "--http-port", value: given.httpPort }, ...said.http], samePort) ??
      agreed(left.http, samePort),
    smtpPort:
      agreed([{ by: "--smtp-port", value: given.smtpPort }, ...said.smtp], "give one of them") ??
      agreed(left.smtp, "give one of them"),
  };
}

interface SaidPlaces {
  readonly hosts: readonly Said<string>[];
  readonly http: readonly Said<number>[];
  readonly smtp: readonly Said<number>[];
}

function saidBy(addresses: BindAddresses, names: Record<keyof BindAddresses, string>): SaidPlaces {
  const [smtp, api, ui] = (["smtp", "api", "ui"] as const).map((key) => {
    const address = addresses[key];
    return { by: names[key], ...(address !== undefined && placeOf(address)) };
  });
  const port = (place: typeof smtp): Said<number> => ({ by: place?.by ?? "", value: place?.port });
  return {
    hosts: [smtp, api, ui].map((place) => ({ by: place?.by ?? "", value: place?.host })),
    http: [port(api), port(ui)],
    smtp: [port(smtp)],
  };
}

/** Go takes an address without a host for all of the machine's. */
function placeOf(address: string): { readonly host: string; readonly port: number } {
  return smtpPlace(address.startsWith(":") ? `0.0.0.0${address}` : address);
}

/** What all who said anything say. */
function agreed<Value>(said: readonly Said<Value>[], rule: string): Value | undefined {
  const [first, ...others] = said.filter(({ value }) => value !== undefined);
  const other = others.find(({ value }) => value !== first?.value);
  if (first === undefined || other === undefined) return first?.value;
  throw new CliError(
    "CLI_OPTION_CONFLICT",
    `${first.by} says ${first.value} and ${other.by} says ${other.value}: ${rule}`,
  );
}

import type { Command } from "commander";
import { CliError } from "../cli-error.ts";
import type { CommandIo } from "../command-context.ts";
import { type ListenPlaces, listenPlaces } from "./listen-places.ts";

/** What the command line says in MailHog's words, where we have others. */
export interface MailhogFlags {
  readonly smtpBindAddr?: string;
  readonly apiBindAddr?: string;
  readonly uiBindAddr?: string;
  readonly storage?: string;
}

/** Options of ours that have the same meaning as a variable of MailHog's. */
const variables = {
  hostname: "MH_HOSTNAME",
  corsOrigin: "MH_CORS_ORIGIN",
  webPath: "MH_UI_WEB_PATH",
  authFile: "MH_AUTH_FILE",
  outgoingSmtp: "MH_OUTGOING_SMTP",
} as const;

interface OwnFlags {
  readonly host: string;
  readonly httpPort: number;
  readonly smtpPort: number;
  readonly hostname: string;
  readonly corsOrigin?: string;
  readonly webPath: string;
  readonly authFile?: string;
  readonly outgoingSmtp?: string;
}

export function addMailhogFlags(command: Command): Command {
  return command
    .option("--smtp-bind-addr <host:port>", "MailHog's way to say --host and --smtp-port")
    .option("--api-bind-addr <host:port>", "MailHog's way to say --host and --http-port")
    .option("--ui-bind-addr <host:port>", "the same as --api-bind-addr: the page and the API share one port")
    .option(
      "--storage <kind>",
      "only memory is taken, and messages are kept in the data folder all the same",
    );
}

/**
 * `flags` with what MailHog's flags and variables say filled in. A flag is above a variable, whichever of the two names
 * the flag has.
 */
export function withMailhog<Flags extends OwnFlags & MailhogFlags>(
  flags: Flags,
  command: Pick<Command, "getOptionValueSource">,
  { env }: Pick<CommandIo, "env">,
): Flags {
  const variable = (name: string) => env[name] || undefined;
  refuseOtherStorage(flags.storage ?? variable("MH_STORAGE"));
  const isGiven = (key: keyof OwnFlags) => command.getOptionValueSource(key) === "cli";
  const given = <Key extends keyof ListenPlaces>(key: Key) => (isGiven(key) ? flags[key] : undefined);
  const places = listenPlaces(
    { host: given("host"), httpPort: given("httpPort"), smtpPort: given("smtpPort") },
    { smtp: flags.smtpBindAddr, api: flags.apiBindAddr, ui: flags.uiBindAddr },
    {
      smtp: variable("MH_SMTP_BIND_ADDR"),
      api: variable("MH_API_BIND_ADDR"),
      ui: variable("MH_UI_BIND_ADDR"),
    },
  );
  const others = Object.entries(variables).flatMap(([key, name]) => {
    const value = isGiven(key as keyof typeof variables) ? undefined : variable(name);
    return value === undefined ? [] : [[key, value]];
  });
  const said: Flags = { ...flags, ...Object.fromEntries(others) };
  return {
    ...said,
    host: places.host ?? flags.host,
    httpPort: places.httpPort ?? flags.httpPort,
    smtpPort: places.smtpPort ?? flags.smtpPort,
    webPath: slashed(said.webPath),
  };
}

/** MailHog takes `mail`, `/mail` and `/mail/` for the same. */
function slashed(webPath: string): string {
  const path = webPath.replace(/^\/+|\/+$/g, "");
  return path === "" ? "" : `/${path}`;
}

function refuseOtherStorage(storage: string | undefined): void {
  if (storage === undefined || storage === "memory") return;
  throw new CliError(
    "CLI_VALUE_INVALID",
    `there is no storage ${storage}: messages are kept in the folder of --data; leave --storage and MH_STORAGE out`,
  );
}

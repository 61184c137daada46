import { type Command, InvalidArgumentError, Option } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, type CommandIo, readInput } from "../frame/command-context.ts";
import { configOption, readCommandConfig } from "../settings/serve-config.ts";
import { longFlag, variableOf } from "../settings/setting.ts";
import { type SettingKey, settings } from "../settings/settings.ts";

/** `tablekeep auth …`: creates users and tokens of a server. */
export function addAuthCommand(program: Command, context: CommandContext): void {
  const auth = addCommand(program, "auth", {
    summary: "create users and tokens for a server",
    description: "Creates users and tokens for a server, and hashes for its user and token files.",
    examples: ["npx tablekeep auth add ann --file users", "npx tablekeep auth token ci"],
  });
  for (const addTo of [addAddCommand, addHashCommand, addTokenCommand]) addTo(auth, context);
}

const listeners = ["http", "smtp", "mqtt"] as const;
type Listener = (typeof listeners)[number];

/** The settings that name the files of a listener. */
const usersOf = { http: "authFile", smtp: "smtpUsers", mqtt: "mqttUsers" } as const;
const tokensOf = { http: "tokenFile", smtp: undefined, mqtt: "mqttTokens" } as const;

interface AddFlags {
  readonly for: Listener;
  readonly token?: true;
  readonly replace?: true;
  readonly cost: number;
  readonly file?: string;
  readonly config?: string;
}

function addAddCommand(auth: Command, context: CommandContext): void {
  const command = addCommand(auth, "add", {
    summary: "add a user or a token to a server's file",
    description:
      "Adds a user to the file that serve reads with the same settings, or a token with --token. The password is read from stdin or, at a terminal, asked for. A new token is printed once. The server reads its files when it starts.",
    examples: [
      "npx tablekeep auth add ann",
      "npx tablekeep auth add ci --token",
      "npx tablekeep auth add lamp --for mqtt --file mqtt-users",
    ],
  })
    .argument("<name>", "name of the user or the token")
    .addOption(new Option("--for <listener>", "listener that accepts it").choices(listeners).default("http"))
    .option("--token", "add a token instead of a user")
    .option("--replace", "replace a user or token of the same name");
  addCostOption(command)
    .option("--file <file>", "file to add it to; created if missing (default: from the settings)")
    .addOption(configOption())
    .action((name: string, flags: AddFlags) => add(name, flags, context));
}

async function add(name: string, flags: AddFlags, { io, print, printDone }: CommandContext): Promise<void> {
  checkName(name);
  const key = settingOf(flags);
  const path = flags.file ?? (await configuredFile(key, flags, io));
  if (path === "") throw new CliError("CLI_VALUE_INVALID", "--file is empty: pass a file");
  const { newToken, parseTokens, parseUsers, tokenHash } = await import("../../server/auth/secret-files.ts");
  const { addSecret } = await import("../auth/secrets-file.ts");
  const token = flags.token ? newToken() : undefined;
  const hash = token === undefined ? await hashOf(await readPassword(io), flags.cost) : tokenHash(token);
  const line = { name, hash, replace: flags.replace === true };
  const added = await addSecret(path, line, token === undefined ? parseUsers : parseTokens);
  const done = `${added.replaced ? "Replaced" : "Added"} ${name} in ${added.path}. A running server must be restarted.`;
  const facts = { name, file: added.path, replaced: added.replaced };
  if (token === undefined) printDone(done, facts);
  else print(`${done}\ntoken  ${token}`, { ...facts, token });
}

/** The setting that names the file of these users or tokens. */
function settingOf(flags: AddFlags): SettingKey {
  const key = (flags.token ? tokensOf : usersOf)[flags.for];
  if (key !== undefined) return key;
  throw new CliError("CLI_OPTION_CONFLICT", "SMTP has users and no tokens: remove --token");
}

/** The file that `serve` reads with the same settings. */
async function configuredFile(key: SettingKey, flags: AddFlags, io: CommandIo): Promise<string> {
  const { settings: effective } = await readCommandConfig({ config: flags.config }, io);
  const path = effective[key];
  if (typeof path === "string" && path !== "") return path;
  throw new CliError(
    "CLI_OPTION_MISSING",
    `no file is set: pass --file here and ${longFlag(settings[key].flag)} to serve, or set ${key} in tablekeep.json or ${variableOf(key)} for both`,
  );
}

/** `tablekeep auth hash`: prints the hash of a password, for a users file. */
function addHashCommand(auth: Command, context: CommandContext): void {
  const command = addCommand(auth, "hash", {
    summary: "hash a password",
    description:
      "Prints the bcrypt hash of a password, for a name:hash line in a users file. Without an argument it reads the password from stdin, which keeps it out of process lists.",
    examples: ["npx tablekeep auth hash secret", "npx tablekeep auth hash --cost 12 secret"],
  }).argument("[password]", "password");
  addCostOption(command).action(async (given: string | undefined, { cost }: { cost: number }) => {
    const hash = await hashOf(given ?? (await readPassword(context.io)), cost);
    context.print(hash, { hash });
  });
}

/** `tablekeep auth token`: creates a token for the server, and its line for the tokens file. */
function addTokenCommand(auth: Command, context: CommandContext): void {
  addCommand(auth, "token", {
    summary: "create a token",
    description:
      "Creates a token for /api/v3 and the console, and the name:hash line for the tokens file. The token is printed once; only its hash is stored.",
    examples: ["npx tablekeep auth token ci", "npx tablekeep auth token --json deploy"],
  })
    .argument("<name>", "name of the token")
    .action((name: string) => token(name, context));
}

async function token(name: string, context: CommandContext): Promise<void> {
  checkName(name);
  const { newToken, tokenHash } = await import("../../server/auth/secret-files.ts");
  const made = newToken();
  const line = `${name}:${tokenHash(made)}`;
  context.print(`token  ${made}\nline   ${line}`, { token: made, line });
}

function checkName(name: string): void {
  if (/^[\w.@+-]{1,64}$/.test(name)) return;
  throw new CliError(
    "CLI_VALUE_INVALID",
    "the name must be 1 to 64 letters, digits, dots, dashes, underscores, + or @",
  );
}

function addCostOption(command: Command): Command {
  return command.option(
    "--cost <number>",
    "bcrypt cost from 4 to 15; each step doubles the work",
    parseCost,
    10,
  );
}

function parseCost(text: string): number {
  const cost = Number(text);
  if (!Number.isInteger(cost) || cost < 4 || cost > 15)
    throw new InvalidArgumentError("expected an integer from 4 to 15");
  return cost;
}

/** Reads a password at the terminal without showing it, or the first line of stdin. */
async function readPassword(io: CommandIo): Promise<string> {
  if (io.askSecret !== undefined) return io.askSecret("Password: ");
  return (await readInput(io, 4096)).toString("utf8").split(/\r?\n/, 1)[0] ?? "";
}

async function hashOf(password: string, cost: number): Promise<string> {
  if (password === "") throw new CliError("CLI_ARGUMENT_MISSING", "missing password: pass it on stdin");
  if (Buffer.byteLength(password) > 72)
    throw new CliError("CLI_VALUE_INVALID", "the password is longer than 72 bytes, which is bcrypt's limit");
  const { hash } = await import("bcryptjs");
  return hash(password, cost);
}

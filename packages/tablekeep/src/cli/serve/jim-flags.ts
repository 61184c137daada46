import { type Command, InvalidArgumentError } from "commander";
import type { MailConfig } from "../../server/mail/mail-config.ts";
import { CliError } from "../cli-error.ts";

/** What the command line says about trouble on purpose, in MailHog's words. */
export interface JimFlags {
  readonly inviteJim?: boolean;
  readonly jimAccept?: number;
  readonly jimDisconnect?: number;
  readonly jimLinkspeedAffect?: number;
  readonly jimLinkspeedMin?: number;
  readonly jimLinkspeedMax?: number;
  readonly jimRejectSender?: number;
  readonly jimRejectRecipient?: number;
  readonly jimRejectAuth?: number;
  readonly jimSeed?: string;
}

export function addJimFlags(command: Command): Command {
  return command
    .option("--invite-jim [boolean]", "let SMTP misbehave from the start, as Jim makes it", booleanFlag)
    .option("--jim-accept <chance>", "Jim: the chance that a connection is accepted", parseNumber)
    .option("--jim-disconnect <chance>", "Jim: the chance that a connection is cut", parseNumber)
    .option("--jim-linkspeed-affect <chance>", "Jim: the chance that a connection is slow", parseNumber)
    .option("--jim-linkspeed-min <bytes>", "Jim: the slowest speed, per second", parseNumber)
    .option("--jim-linkspeed-max <bytes>", "Jim: the fastest of the slow speeds, per second", parseNumber)
    .option("--jim-reject-sender <chance>", "Jim: the chance that a sender is refused", parseNumber)
    .option("--jim-reject-recipient <chance>", "Jim: the chance that a recipient is refused", parseNumber)
    .option("--jim-reject-auth <chance>", "Jim: the chance that signing in is refused", parseNumber)
    .option("--jim-seed <text>", "Jim: the same text gives the same trouble");
}

/** What trouble is like, and whether it is asked for from the start. `variable` is MailHog's invitation. */
export async function readJimFlags(
  flags: JimFlags,
  variable: string | undefined,
): Promise<Pick<MailConfig, "chaos" | "usualChaos">> {
  const isInvited = flags.inviteJim ?? (variable !== undefined && invited(variable));
  const { defaultChaosSettings: usual } = await import("@tablekeep/mail");
  const usualChaos = {
    acceptChance: flags.jimAccept ?? usual.acceptChance,
    disconnectChance: flags.jimDisconnect ?? usual.disconnectChance,
    linkSpeedAffect: flags.jimLinkspeedAffect ?? usual.linkSpeedAffect,
    linkSpeedMin: flags.jimLinkspeedMin ?? usual.linkSpeedMin,
    linkSpeedMax: flags.jimLinkspeedMax ?? usual.linkSpeedMax,
    rejectSenderChance: flags.jimRejectSender ?? usual.rejectSenderChance,
    rejectRecipientChance: flags.jimRejectRecipient ?? usual.rejectRecipientChance,
    rejectAuthChance: flags.jimRejectAuth ?? usual.rejectAuthChance,
    seed: flags.jimSeed,
  };
  return { usualChaos, chaos: isInvited ? usualChaos : undefined };
}

/** A boolean as Go reads them. */
function parseBoolean(text: string): boolean | undefined {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}

function booleanFlag(text: string): boolean {
  const value = parseBoolean(text);
  if (value === undefined) throw new InvalidArgumentError("give true or false");
  return value;
}

function invited(variable: string): boolean {
  const value = parseBoolean(variable);
  if (value === undefined)
    throw new CliError("CLI_VALUE_INVALID", `MH_INVITE_JIM is ${variable}: give true or false`);
  return value;
}

function parseNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw new InvalidArgumentError("give a number");
  return number;
}

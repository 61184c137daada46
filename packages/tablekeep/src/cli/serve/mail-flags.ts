import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { MailConfig } from "../../server/mail/mail-config.ts";
import { CliError } from "../cli-error.ts";
import { parsePort } from "../parse-port.ts";

/** What the command line says about mail. */
export interface MailFlags {
  readonly smtpPort: number;
  readonly smtp: boolean;
  readonly hostname: string;
  readonly smtpUsers?: string;
  readonly smtpCert?: string;
  readonly smtpKey?: string;
  readonly smtpImplicitTls?: true;
  readonly outgoingSmtp?: string;
}

export function addMailFlags(command: Command): Command {
  return command
    .option("--smtp-port <number>", "the port that receives mail by SMTP", parsePort, 1025)
    .option("--no-smtp", "receive no mail by SMTP")
    .option("--hostname <name>", "the name that the server gives itself in SMTP", "mailhog.example")
    .option("--smtp-users <file>", "who may send mail: a file with a line name:hash each")
    .option("--smtp-cert <file>", "a certificate in PEM: with it SMTP offers STARTTLS")
    .option("--smtp-key <file>", "its key in PEM")
    .option("--smtp-implicit-tls", "SMTP connections begin with TLS")
    .option("--outgoing-smtp <file>", "the relays that messages may be released to, as MailHog's JSON");
}

/** Reads the files that the flags name. */
export async function readMailFlags(flags: MailFlags): Promise<MailConfig> {
  const { readUsersFile } = await import("../../server/auth/users-file.ts");
  const { readRelaysFile } = await import("../../server/release/relays.ts");
  return {
    store: { hostname: flags.hostname },
    users: flags.smtpUsers === undefined ? undefined : readUsersFile(flags.smtpUsers),
    certificate: readCertificate(flags),
    implicitTls: flags.smtpImplicitTls ?? false,
    relays: flags.outgoingSmtp === undefined ? undefined : readRelaysFile(flags.outgoingSmtp),
  };
}

function readCertificate({ smtpCert, smtpKey }: MailFlags): MailConfig["certificate"] {
  if (smtpCert === undefined && smtpKey === undefined) return undefined;
  if (smtpCert !== undefined && smtpKey !== undefined) return { cert: read(smtpCert), key: read(smtpKey) };
  const missing = smtpCert === undefined ? "--smtp-cert" : "--smtp-key";
  throw new CliError("CLI_OPTION_MISSING", `${missing} is missing: give a certificate and its key`);
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CliError("CLI_FILE_UNREADABLE", `cannot read ${path}: ${(error as Error).message}`, error);
  }
}

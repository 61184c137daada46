import { hostname, userInfo } from "node:os";
import { systemClock } from "@tablekeep/core";
import type { Command } from "commander";
import { hostAndPort, isLoopback } from "../../server/listening/listener.ts";
import type { Relay } from "../../server/release/relays.ts";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { readInput } from "../frame/command-context.ts";
import { smtpPlace } from "../settings/layers.ts";
import { readCommandConfig } from "../settings/serve-config.ts";

interface SendmailOptions {
  readonly smtpAddr?: string;
  readonly from?: string;
  readonly readRecipients?: true;
  readonly verbose?: true;
}

const messageLimit = 100 * 1024 * 1024;
const deadlineMs = 60_000;

/** `tablekeep sendmail`: what programs call to send a message. */
export function addSendmailCommand(program: Command, context: CommandContext): void {
  addCommand(program, "sendmail", {
    summary: "send the message on stdin, as sendmail does",
    description:
      "Reads a message from stdin and sends it by SMTP: a stand-in for sendmail, and for MailHog's. Without recipients it goes to those of its To field.",
    examples: ["npx tablekeep sendmail -f me@example.com you@example.com", "npx tablekeep sendmail -t -i"],
  })
    .argument("[recipients...]", "addresses to send to")
    .option("--smtp-addr <host:port>", "the server (also: MH_SENDMAIL_SMTP_ADDR)")
    .option("-f, --from <address>", "the sender's address (also: MH_SENDMAIL_FROM)")
    .option("-t, --read-recipients", "send to the To, Cc and Bcc fields of the message")
    .option("-i, --ignore-dots", "a line with a dot alone does not end the message, which it never does here")
    .option("-v, --verbose", "print what the server answered")
    .option("-F <name>", "ignored: the sender's full name")
    .option("-o <option>", "ignored: an option of sendmail's own")
    .option("-b <mode>", "ignored: a mode of sendmail's own")
    .action((recipients: string[], options: SendmailOptions) => sendmail(recipients, options, context));
}

async function sendmail(
  recipients: readonly string[],
  options: SendmailOptions,
  context: CommandContext,
): Promise<void> {
  const { env, signal } = context.io;
  const place = smtpPlace(options.smtpAddr ?? env["MH_SENDMAIL_SMTP_ADDR"] ?? (await ownSmtp(context)));
  // Loaded when used, so that the other commands start fast.
  const { splitMessage } = await import("../mail/split-message.ts");
  const { deliver, mailbox } = await import("../../server/release/deliver.ts");
  const message = splitMessage(await readInput(context.io, messageLimit));
  const fields = options.readRecipients ? [...message.to, ...message.cc, ...message.bcc] : message.to;
  const to = options.readRecipients
    ? [...fields, ...recipients]
    : recipients.length > 0
      ? recipients
      : fields;
  const from = options.from ?? env["MH_SENDMAIL_FROM"] ?? `${userInfo().username}@${hostname()}`;
  for (const address of to) if (!mailbox.test(address)) throw notAnAddress(address);
  if (to.length === 0)
    throw new CliError("CLI_ARGUMENT_MISSING", "there is nobody to send to: name a recipient");
  if (from !== "" && !mailbox.test(from)) throw notAnAddress(from);
  const relay: Relay = { name: `${place.host}:${place.port}`, ...place };
  const envelope = { from, to: [...new Set(to)] };
  // On this machine nobody listens in between, and certificates there are rarely signed by anyone.
  const withoutTls = isLoopback(place.host);
  const delivery = { relay, hostname: hostname(), envelope, raw: message.raw, withoutTls };
  const sent = await deliver(delivery, { address: place.host, clock: systemClock, deadlineMs, signal });
  if (sent.rejected.length > 0) {
    throw new CliError("CLI_VALUE_INVALID", `sent, but the server refused ${sent.rejected.join(", ")}`);
  }
  if (options.verbose) context.print(sent.response, { response: sent.response });
}

/** Where a server with these settings receives mail. */
async function ownSmtp({ io }: CommandContext): Promise<string> {
  const { settings } = await readCommandConfig({}, io);
  const host = settings.smtpHost ?? settings.host;
  return hostAndPort(["0.0.0.0", "::"].includes(host) ? "localhost" : host, settings.smtpPort || 1025);
}

function notAnAddress(text: string): CliError {
  return new CliError("CLI_VALUE_INVALID", `${JSON.stringify(text)} is no address to send mail to or from`);
}

import { hostname, userInfo } from "node:os";
import { systemClock } from "@tablekeep/core";
import type { Command } from "commander";
import { hostAndPort, isLoopback } from "../../server/listening/listener.ts";
import { type Relay, ReleaseError } from "../../server/release/relays.ts";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { readInput } from "../frame/command-context.ts";
import { parseSmtpAddress } from "../settings/layers.ts";
import { readCommandConfig } from "../settings/serve-config.ts";

interface SendmailOptions {
  readonly smtpAddr?: string;
  readonly from?: string;
  readonly readRecipients?: true;
  readonly verbose?: true;
}

const messageLimit = 100 * 1024 * 1024;
const deadlineMs = 60_000;

/** `tablekeep sendmail`: sends a message for other programs. */
export function addSendmailCommand(program: Command, context: CommandContext): void {
  addCommand(program, "sendmail", {
    summary: "send a message from stdin, like sendmail",
    description:
      "Reads a message from stdin and sends it over SMTP; a replacement for sendmail and for MailHog's sendmail. Without recipients it sends to those of the To field.",
    examples: ["npx tablekeep sendmail -f me@example.com you@example.com", "npx tablekeep sendmail -t -i"],
  })
    .argument("[recipients...]", "recipients")
    .option("--smtp-addr <host:port>", "SMTP server (or set MH_SENDMAIL_SMTP_ADDR)")
    .option("-f, --from <address>", "sender address (or set MH_SENDMAIL_FROM)")
    .option("-t, --read-recipients", "send to the To, Cc and Bcc fields of the message")
    .option("-i, --ignore-dots", "accepted for compatibility; a lone dot never ends the message")
    .option("-v, --verbose", "print the server's replies")
    .option("-F <name>", "ignored; sender's full name")
    .option("-o <option>", "ignored; option of sendmail")
    .option("-b <mode>", "ignored; mode of sendmail")
    .action((recipients: string[], options: SendmailOptions) => sendmail(recipients, options, context));
}

async function sendmail(
  recipients: readonly string[],
  options: SendmailOptions,
  context: CommandContext,
): Promise<void> {
  const { env, signal } = context.io;
  const place = parseSmtpAddress(
    options.smtpAddr ?? env["MH_SENDMAIL_SMTP_ADDR"] ?? (await ownSmtp(context)),
  );
  // Loaded when used, so that the other commands start fast.
  const { readMessageToSend } = await import("../../server/mail/send/address-fields.ts");
  const { deliver, mailbox } = await import("../../server/release/deliver.ts");
  const message = readMessageToSend(await readInput(context.io, messageLimit));
  const fields = options.readRecipients ? [...message.to, ...message.cc, ...message.bcc] : message.to;
  const to = options.readRecipients
    ? [...fields, ...recipients]
    : recipients.length > 0
      ? recipients
      : fields;
  const from = options.from ?? env["MH_SENDMAIL_FROM"] ?? `${userInfo().username}@${hostname()}`;
  for (const address of to) if (!mailbox.test(address)) throw notAnAddress(address);
  if (to.length === 0) throw new CliError("CLI_ARGUMENT_MISSING", "no recipients: pass one as an argument");
  if (from !== "" && !mailbox.test(from)) throw notAnAddress(from);
  const relay: Relay = { name: `${place.host}:${place.port}`, ...place };
  const envelope = { from, to: [...new Set(to)] };
  // On loopback TLS is not needed, and certificates are rarely trusted.
  const withoutTls = isLoopback(place.host);
  const delivery = { relay, hostname: hostname(), envelope, raw: message.raw, withoutTls };
  const sending = deliver(delivery, { address: place.host, clock: systemClock, deadlineMs, signal });
  const sent = await sending.catch((error: unknown) => Promise.reject(ofNoServer(error, relay.name)));
  if (sent.rejected.length > 0) {
    throw new CliError("CLI_VALUE_INVALID", `sent, but the server rejected ${sent.rejected.join(", ")}`);
  }
  if (options.verbose) context.print(sent.response, { response: sent.response });
}

/** The usual reason for a refused connection is that no server is running. */
function ofNoServer(error: unknown, address: string): unknown {
  const { cause } = error as { readonly cause?: NodeJS.ErrnoException };
  if (cause?.code !== "ECONNREFUSED") return error;
  const advice = 'start "tablekeep serve", or name another server with --smtp-addr';
  const message = `no SMTP server listens on ${address} (ECONNREFUSED): ${advice}`;
  return new ReleaseError("RELEASE_FAILED", message, { relay: address }, { retryable: true, cause: error });
}

/** Where a server with these settings receives mail. */
async function ownSmtp({ io }: CommandContext): Promise<string> {
  const { settings } = await readCommandConfig({}, io);
  const host = settings.smtpHost ?? settings.host;
  return hostAndPort(["0.0.0.0", "::"].includes(host) ? "localhost" : host, settings.smtpPort || 1025);
}

function notAnAddress(text: string): CliError {
  return new CliError("CLI_VALUE_INVALID", `invalid mail address ${JSON.stringify(text)}`);
}

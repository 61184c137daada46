import { readFile, stat } from "node:fs/promises";
import type { LintFinding, LintOptions, LintSeverity } from "@tablekeep/mail/lint";
import { type Command, Option } from "commander";
import { addCommand, collect } from "../frame/add-command.ts";
import { CliError, unreadableFile } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { counted } from "../frame/progress.ts";
import { addMailStoreOptions, findMail, type MailStoreFlags } from "../mail/mail-flags.ts";

interface LintFlags extends MailStoreFlags {
  readonly client?: readonly string[];
  readonly ignore?: readonly string[];
  readonly allowHost?: readonly string[];
  readonly bulk?: true;
  readonly zone?: string;
  readonly ip?: string;
  readonly mailFrom?: string;
  readonly helo?: string;
  readonly level: LintSeverity;
}

/** `tablekeep mail lint` */
export function addMailLintCommand(mail: Command, context: CommandContext): void {
  const command = addCommand(mail, "lint", {
    summary: "check a message",
    description:
      "Checks a stored message, or the messages of a file: headers, links, images, plain text, sizes, and the support of its HTML and CSS by mail clients; with --zone also DKIM, SPF and DMARC. Uses no network. Exits with 9 if there are findings of --level or worse.",
    examples: ["npx tablekeep mail lint ID", "npx tablekeep mail lint message.eml --allow-host localhost"],
  })
    .argument("<message>", "message id, file or folder")
    .option("--client <name>", "mail client or family to check for; repeatable", collect)
    .option("--ignore <rule>", "rule to skip; repeatable", collect)
    .option("--allow-host <name>", "host that links may lead to; repeatable", collect)
    .option("--bulk", "the message is bulk mail")
    .option("--zone <file>", "zone file to check DKIM, SPF and DMARC with")
    .option("--ip <address>", "address of the sender, for SPF")
    .option("--mail-from <address>", "address of MAIL FROM, for SPF")
    .option("--helo <name>", "name of HELO, for SPF")
    .addOption(
      new Option("--level <severity>", "severity that fails the command")
        .choices(["error", "warning", "info"])
        .default("error"),
    );
  addMailStoreOptions(command).action((message: string, flags: LintFlags) => lint(message, flags, context));
}

const severities: readonly LintSeverity[] = ["error", "warning", "info"];

async function lint(message: string, flags: LintFlags, context: CommandContext): Promise<void> {
  const { lintMessage } = await import("@tablekeep/mail/lint");
  const options = await lintOptions(flags);
  const count = { messages: 0, error: 0, warning: 0, info: 0 };
  for await (const { place, raw } of messagesOf(message, flags, context)) {
    count.messages++;
    for (const finding of await lintMessage(raw, options)) {
      count[finding.severity]++;
      await context.printNext(
        () => findingText(finding),
        () => ({ source: place, ...finding }),
      );
    }
  }
  const found = [
    counted(count.error, "error"),
    counted(count.warning, "warning"),
    counted(count.info, "note"),
  ];
  context.print(`Checked ${counted(count.messages, "message")}: ${found.join(", ")}.`, { summary: count });
  const failing = severities
    .slice(0, severities.indexOf(flags.level) + 1)
    .reduce((sum, each) => sum + count[each], 0);
  if (failing > 0)
    throw new CliError(
      "CLI_MAIL_FINDINGS",
      `${counted(failing, "finding")} of level ${flags.level} or worse: see above`,
    );
}

async function lintOptions(flags: LintFlags): Promise<LintOptions> {
  const { client, ignore, allowHost, bulk, zone, ip, mailFrom, helo } = flags;
  if (ip === undefined && (mailFrom !== undefined || helo !== undefined))
    throw new CliError("CLI_OPTION_MISSING", "missing option --ip: the address of the sender");
  return {
    ...(client !== undefined && { clients: client }),
    ...(ignore !== undefined && { ignore: ignore as LintOptions["ignore"] }),
    ...(allowHost !== undefined && { allowHosts: allowHost }),
    ...(bulk && { bulk }),
    ...(zone !== undefined && { zone: await readZone(zone) }),
    ...(ip !== undefined && { sender: { ip, from: mailFrom, helo } }),
  };
}

async function readZone(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw unreadableFile(path, error, "--zone");
  }
}

function findingText({ severity, rule, message, where, fix }: LintFinding): string {
  const place = where === undefined ? "" : ` (${where})`;
  return printable(`${severity.padEnd(8)}${rule.padEnd(18)} ${message}${place}. ${fix}`);
}

/** The messages of a file or folder of this name or, if there is none, the stored message with this id. */
async function* messagesOf(
  message: string,
  flags: LintFlags,
  { io }: CommandContext,
): AsyncGenerator<{ readonly place: string; readonly raw: Uint8Array }, void, undefined> {
  const isPath = await stat(message).then(
    () => true,
    () => /\.eml$|[/\\]/i.test(message),
  );
  if (isPath) {
    const { messagesAt } = await import("../mail/message-files.ts");
    yield* messagesAt(message);
    return;
  }
  await using found = await findMail(flags, io);
  const stored = await found.mail.load(message, { signal: io.signal });
  if (stored === undefined)
    throw new CliError(
      "CLI_NO_MESSAGE",
      `no file and no stored message ${JSON.stringify(message)}: "tablekeep mail list" lists the messages`,
    );
  yield { place: message, raw: stored.raw };
}

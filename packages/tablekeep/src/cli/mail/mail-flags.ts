import { type DynamoPort, systemClock } from "@tablekeep/core";
import type { Mail, MailLayoutName, MailOptions, MailQuery, MailSearch } from "@tablekeep/mail";
import { type Command, Option } from "commander";
import type { CommandIo } from "../frame/command-context.ts";
import { mailStoreOptions } from "../settings/mail-store-options.ts";
import {
  addStoreOptions,
  type CreateOption,
  openStore,
  provideTable,
  type StoreOptions,
} from "../store/open-store.ts";

/** The mail store that a command works on, and its location. */
export interface MailStoreFlags extends StoreOptions, CreateOption {
  readonly table?: string;
  readonly layout?: MailLayoutName;
  readonly inbox?: string;
}

/** Adds the options that name a mail store and its location. */
export function addMailStoreOptions(command: Command): Command {
  command
    .optionsGroup("Which mail store:")
    .option("--table <name>", "mail table (default: from the settings, or mail)")
    .addOption(
      new Option("--layout <name>", "table layout (default: from the settings, or sharded)").choices([
        "sharded",
        "mhdynamo",
      ]),
    )
    .option("--inbox <name>", "named inbox (default: the default inbox)");
  return addStoreOptions(command);
}

/** What `--query` searches. */
type SearchKind = MailSearch["kind"] | "query";

/** The messages that a command works on. */
export interface QueryFlags {
  readonly query?: string;
  readonly kind: SearchKind;
}

/** Adds the options that select messages. */
export function addQueryOptions(command: Command, purpose: string): Command {
  const kinds: readonly SearchKind[] = ["query", "text", "recipient", "sender", "to", "from", "containing"];
  return command
    .option("--query <text>", purpose)
    .addOption(new Option("--kind <kind>", "what --query matches").choices(kinds).default("query"));
}

/** The search that the options describe; undefined without `--query`. */
export function searchOf({ kind, query }: QueryFlags): MailSearch | MailQuery | undefined {
  if (query === undefined) return undefined;
  return kind === "query" ? { query } : { kind, query };
}

/** A mail store, and its tables. */
export interface FoundMail extends AsyncDisposable {
  readonly mail: Mail;
  /** The hash of the token that the server requires for this inbox; undefined if it has none. */
  readonly tokenHash: string | undefined;
  /** Whether only this process has the tables open: no other can store a message meanwhile. */
  readonly isExclusive: boolean;
}

/** Long, because a large message can be slow over a slow connection. */
const deadlineMs = 60_000;

/** The options of a named inbox, as the server applies them. An inbox that may get messages is listed from then on, as by the server. */
async function inboxOptions(
  port: DynamoPort,
  options: MailOptions,
  mayWrite: boolean,
): Promise<{ readonly options: MailOptions; readonly tokenHash?: string | undefined }> {
  const { mailTableSpec, defaultInbox } = await import("@tablekeep/mail");
  const { inbox = defaultInbox, ttlDays = 7 } = options;
  // Rejects an invalid name before it becomes a key.
  const { name: table } = mailTableSpec(options);
  if (inbox === defaultInbox) return { options: {} };
  const { inboxDirectory } = await import("../../server/mail/inboxes/inbox-directory.ts");
  const directory = inboxDirectory({ port, table, ttlDays, clock: systemClock });
  const defined = (await directory.read()).get(inbox);
  if (mayWrite) await directory.enter(inbox);
  const { ttlDays: ownTtlDays = ttlDays, maxMessages = options.maxMessages, tokenHash } = defined ?? {};
  const own = { inbox, ttlDays: ownTtlDays, ...(maxMessages !== undefined && { maxMessages }) };
  return { options: own, tokenHash };
}

/** Opens the mail store as the server does. With `canCreate`, `--create` creates its folder and table. */
export async function findMail(
  flags: MailStoreFlags,
  io: CommandIo,
  { canCreate = false }: { readonly canCreate?: boolean } = {},
): Promise<FoundMail> {
  const { mailTableSpec, openMail } = await import("@tablekeep/mail");
  const store = await openStore(flags, io, { canCreate });
  const { port, config, isExclusive } = store;
  try {
    const configured = mailStoreOptions(config);
    const isConfigured = flags.table === undefined || flags.table === mailTableSpec(configured).name;
    const options = {
      hostname: config.settings.hostname,
      ...(isConfigured && configured),
      ...(flags.table !== undefined && { table: flags.table }),
      ...(flags.layout !== undefined && { layout: flags.layout }),
    };
    await provideTable(store, mailTableSpec(options), flags.create === true, canCreate);
    const inbox = await inboxOptions(port, { ...options, inbox: flags.inbox }, canCreate);
    const mail = await openMail(port, { ...options, ...inbox.options, deadlineMs });
    const close = async () => {
      await mail.close();
      await port.close();
    };
    return { mail, tokenHash: inbox.tokenHash, isExclusive, [Symbol.asyncDispose]: close };
  } catch (error) {
    await port.close();
    throw error;
  }
}

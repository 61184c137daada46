import type { Mail, MailLayoutName, MailSearch } from "@tablekeep/mail";
import { type Command, Option } from "commander";
import type { CommandIo } from "../command-context.ts";
import { openStore } from "../tables/open-store.ts";
import { addStoreOptions, type StoreOptions } from "../tables/store-options.ts";

/** Which mail store a command works on, and where it is. */
export interface MailStoreFlags extends StoreOptions {
  readonly table: string;
  readonly layout: MailLayoutName;
}

/** Adds the options that name a mail store and where it is. */
export function addMailStoreOptions(command: Command): Command {
  command
    .option("--table <name>", "the table of the messages", "mail")
    .addOption(
      new Option("--layout <name>", "how messages lie in it")
        .choices(["sharded", "mhdynamo"])
        .default("sharded"),
    );
  return addStoreOptions(command);
}

/** Adds the option that says where a search looks. */
export function addKindOption(command: Command, usual: MailSearch["kind"]): Command {
  const kinds: readonly MailSearch["kind"][] = ["text", "recipient", "sender", "to", "from", "containing"];
  return command.addOption(new Option("--kind <kind>", "where to look").choices(kinds).default(usual));
}

/** A mail store, and the tables that it is in. */
export interface FoundMail extends AsyncDisposable {
  readonly mail: Mail;
}

/** A large message over a slow line takes its time. */
const deadlineMs = 60_000;

/** Opens the mail store. With `make`, its folder and table are made where they are missing; on AWS never. */
export async function findMail(
  flags: MailStoreFlags,
  io: CommandIo,
  { make = false }: { readonly make?: boolean } = {},
): Promise<FoundMail> {
  const { mailTableSpec, openMail } = await import("@tablekeep/mail");
  const { ensureTable } = await import("@tablekeep/client");
  const { table, layout } = flags;
  const port = await openStore(flags, io, { makeFolder: make });
  try {
    if (make && flags.region === undefined) await ensureTable(port, mailTableSpec({ table, layout }));
    const mail = await openMail(port, { table, layout, deadlineMs });
    const close = async () => {
      await mail.close();
      await port.close();
    };
    return { mail, [Symbol.asyncDispose]: close };
  } catch (error) {
    await port.close();
    throw error;
  }
}

import { unwrap } from "@tablekeep/core";
import type { DocumentObject, UpdateRequest } from "@tablekeep/shadow";
import type { Command } from "commander";
import { addCommand, parseWhole } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { readInput } from "../frame/command-context.ts";
import {
  addShadowNameOption,
  addShadowStoreOptions,
  findShadows,
  printView,
  type ShadowNameFlags,
} from "../shadow/find-shadows.ts";
import { addCreateOption } from "../store/open-store.ts";

interface UpdateFlags extends ShadowNameFlags {
  readonly expect?: number;
}

type Halves = Pick<UpdateRequest, "desired" | "reported">;

/** `tablekeep shadow update` */
export function addShadowUpdateCommand(shadow: Command, context: CommandContext): void {
  addChange(shadow, context, {
    name: "update",
    summary: "merge into what is desired and reported",
    description: "Merges a document with desired, reported or both into a shadow; null removes a value.",
    example: `npx tablekeep shadow update lamp '{"desired":{"on":true},"reported":{"on":false}}'`,
    halvesOf(document) {
      const keys = Object.keys(document);
      if (keys.length === 0 || keys.some((key) => key !== "desired" && key !== "reported"))
        throw new CliError(
          "CLI_VALUE_INVALID",
          "the document has desired, reported or both, and nothing else",
        );
      return document as Halves;
    },
  });
}

/** `tablekeep shadow desire` */
export function addShadowDesireCommand(shadow: Command, context: CommandContext): void {
  addChange(shadow, context, {
    name: "desire",
    summary: "merge into what is desired",
    description: "Merges a document into what is desired of a thing; null removes a value.",
    example: `npx tablekeep shadow desire lamp '{"on":true}'`,
    halvesOf: (desired) => ({ desired }),
  });
}

/** `tablekeep shadow report` */
export function addShadowReportCommand(shadow: Command, context: CommandContext): void {
  addChange(shadow, context, {
    name: "report",
    summary: "merge into what is reported",
    description: "Merges a document into what a thing reports; null removes a value.",
    example: `npx tablekeep shadow report lamp '{"on":true}'`,
    halvesOf: (reported) => ({ reported }),
  });
}

interface Change {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly example: string;
  readonly halvesOf: (document: DocumentObject) => Halves;
}

function addChange(shadow: Command, context: CommandContext, change: Change): void {
  const { name, summary, description, example } = change;
  const command = addCommand(shadow, name, { summary, description, examples: [example] })
    .argument("<thing>", "the thing")
    .argument("<document>", "the document as JSON; - reads it from stdin")
    .option("--expect <number>", "only if this is the version; 0 if there must be none", parseWhole(0));
  addCreateOption(command, "the table, and the data folder,");
  addShadowStoreOptions(addShadowNameOption(command)).action(
    (thing: string, document: string, flags: UpdateFlags) =>
      apply({ thing, document, change, flags }, context),
  );
}

interface Wanted {
  readonly thing: string;
  readonly document: string;
  readonly change: Change;
  readonly flags: UpdateFlags;
}

async function apply({ thing, document, change, flags }: Wanted, context: CommandContext): Promise<void> {
  const { io } = context;
  const text = document === "-" ? (await readInput(io, 1024 * 1024)).toString("utf8") : document;
  const halves = change.halvesOf(await parseDocument(text));
  await using found = await findShadows(flags, io, { canCreate: true });
  const { name, expect: version } = flags;
  const outcome = await found.manager.update({ id: thing, name, ...halves, version }, { signal: io.signal });
  printView(unwrap(outcome).current, context);
}

async function parseDocument(text: string): Promise<DocumentObject> {
  const { isShadowError, parseJson } = await import("@tablekeep/shadow");
  try {
    const value = parseJson(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as DocumentObject;
  } catch (error) {
    if (!isShadowError(error, "SHADOW_REQUEST_INVALID")) throw error;
    // The usual reason is the shell, which takes the quotation marks away.
    const advice = `write JSON in single quotes, such as '{"on":true}', or give - and send it to stdin`;
    throw new CliError("CLI_VALUE_INVALID", `the document is no JSON: ${advice}`, error);
  }
  throw new CliError("CLI_VALUE_INVALID", `the document must be an object, such as {"on":true}`);
}

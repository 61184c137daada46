import { unwrap } from "@tablekeep/core";
import type { DocumentObject, UpdateRequest } from "@tablekeep/shadow";
import type { Command } from "commander";
import { addCommand, parseInteger } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { readJsonObject } from "../frame/json-argument.ts";
import {
  addShadowNameOption,
  addShadowStoreOptions,
  findShadows,
  printView,
  type ShadowNameFlags,
} from "../shadow/find-shadows.ts";
import { addCreateOption } from "../store/open-store.ts";

interface UpdateFlags extends ShadowNameFlags {
  readonly ifVersion?: number;
}

type Halves = Pick<UpdateRequest, "desired" | "reported">;

/** `tablekeep shadow put` */
export function addShadowPutCommand(shadow: Command, context: CommandContext): void {
  addChange(shadow, context, {
    name: "put",
    summary: "merge a document into a shadow",
    description:
      "Merges a document with desired, reported or both into a shadow. null removes a value. AWS IoT's form, with both in a member state, is accepted.",
    example: `npx tablekeep shadow put lamp '{"desired":{"on":true},"reported":{"on":false}}'`,
    halvesOf(document) {
      const halves = stateOf(document);
      const keys = Object.keys(halves);
      if (keys.length === 0 || keys.some((key) => key !== "desired" && key !== "reported"))
        throw new CliError(
          "CLI_VALUE_INVALID",
          `the document must have desired, reported or both, and no other members, such as '{"desired":{"on":true}}'; pass a version with --if-version`,
        );
      return halves as Halves;
    },
  });
}

/** The content of `state` in AWS IoT's form of a document, `{"state":{"desired":…}}`; otherwise the document itself. */
function stateOf(document: DocumentObject): DocumentObject {
  const { state, ...others } = document;
  const isAwsForm = typeof state === "object" && state !== null && !Array.isArray(state);
  return isAwsForm && Object.keys(others).length === 0 ? (state as DocumentObject) : document;
}

/** `tablekeep shadow desire` */
export function addShadowDesireCommand(shadow: Command, context: CommandContext): void {
  addChange(shadow, context, {
    name: "desire",
    summary: "merge a document into the desired state",
    description: "Merges a document into the desired state of a thing. null removes a value.",
    example: `npx tablekeep shadow desire lamp '{"on":true}'`,
    halvesOf: (desired) => ({ desired }),
  });
}

/** `tablekeep shadow report` */
export function addShadowReportCommand(shadow: Command, context: CommandContext): void {
  addChange(shadow, context, {
    name: "report",
    summary: "merge a document into the reported state",
    description: "Merges a document into the reported state of a thing. null removes a value.",
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
    .argument("<thing>", "thing name")
    .argument("<document>", "JSON document; - reads it from stdin")
    .option(
      "--if-version <number>",
      "fail unless this is the current version; 0 for a new shadow",
      parseInteger(0),
    );
  addCreateOption(command, "the table and the data folder");
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
  // Usually an unset shell variable. The store itself accepts the name.
  if (thing === "") throw new CliError("CLI_VALUE_INVALID", "the name of the thing is empty: pass one");
  const words = { what: "the document", example: '{"on":true}' };
  const halves = change.halvesOf(await readJsonObject(document, words, io));
  await using found = await findShadows(flags, io, { canCreate: true });
  const { name, ifVersion: version } = flags;
  const outcome = await found.manager.update({ id: thing, name, ...halves, version }, { signal: io.signal });
  printView(unwrap(outcome).current, context);
}

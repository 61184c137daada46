import type { ShadowFinding } from "@tablekeep/shadow/tools";
import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { counted, Progress } from "../frame/progress.ts";
import {
  addShadowStoreOptions,
  describeShadow,
  findShadows,
  type ShadowStoreFlags,
} from "../shadow/find-shadows.ts";

/** `tablekeep shadow verify` */
export function addShadowVerifyCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "verify", {
    summary: "check shadows for damage",
    description:
      "Reads the shadows of all things, or of one, with the versions of deleted ones and the history, and prints every finding. Changes nothing. Exits with 9 if there are errors or warnings.",
    examples: ["npx tablekeep shadow verify", "npx tablekeep shadow verify lamp --json"],
  }).argument("[thing]", "only this thing");
  addShadowStoreOptions(command).action((thing: string | undefined, flags: ShadowStoreFlags) =>
    verify(thing, flags, context),
  );
}

async function verify(
  thing: string | undefined,
  flags: ShadowStoreFlags,
  { io, print, printNext }: CommandContext,
): Promise<void> {
  const { verifyShadows } = await import("@tablekeep/shadow/tools");
  await using found = await findShadows(flags, io);
  const progress = new Progress(io.stderr);
  const summary = await verifyShadows(found.port, found.store, {
    thing,
    signal: io.signal,
    onProgress: (done) => progress.show(() => ({ verb: "read", done, unit: "items" })),
    onFinding: (finding) =>
      printNext(
        () => findingText(finding),
        () => findingJson(finding),
      ),
  }).finally(() => progress.clear());
  const { shadows, deleted, error, warning, info } = summary;
  // Usually a misspelled name. Remains of a thing without shadows are findings, too.
  if (thing !== undefined && shadows + deleted + error + warning + info === 0)
    throw new CliError(
      "CLI_NO_SHADOW",
      `no ${describeShadow({ id: thing })}: "tablekeep shadow list" lists the shadows`,
    );
  const counts = [counted(error, "error"), counted(warning, "warning"), counted(info, "note")].join(", ");
  print(`Read ${counted(shadows, "shadow")}: ${counts}.`, { summary });
  if (error + warning === 0) return;
  throw new CliError(
    "CLI_SHADOWS_DAMAGED",
    `${counted(error, "error")} and ${counted(warning, "warning")}: the lines above say what is wrong`,
  );
}

function findingText({ id, name, item, kind, severity, message }: ShadowFinding): string {
  const half = item === "combined" ? "" : ` (${item})`;
  return printable(
    `${severity.padEnd(8)}${kind.padEnd(16)} ${describeShadow({ id, name })}${half} ${message}`,
  );
}

function findingJson({ id: thing, name, item, kind, severity, message }: ShadowFinding): object {
  return { kind, severity, thing, name, item, message };
}

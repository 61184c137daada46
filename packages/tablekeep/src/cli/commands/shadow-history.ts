import type { HistoryPoint } from "@tablekeep/shadow";
import type { Command } from "commander";
import { addCommand, parseInteger } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandContext } from "../frame/command-context.ts";
import {
  addShadowNameOption,
  addShadowStoreOptions,
  findShadows,
  type ShadowNameFlags,
} from "../shadow/find-shadows.ts";

interface HistoryFlags extends ShadowNameFlags {
  readonly path?: string;
  readonly limit?: number;
}

/** `tablekeep shadow history` */
export function addShadowHistoryCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "history", {
    summary: "print the versions of a shadow that are kept",
    description:
      "Prints the versions of a shadow that are kept, the newest first, each as one line of JSON with what it changed. gap means that versions before it are missing.",
    examples: [
      "npx tablekeep shadow history lamp",
      "npx tablekeep shadow history lamp --path /reported/firmware",
    ],
  })
    .argument("<thing>", "thing name")
    .option("--path <pointer>", "only changes at this JSON pointer, which begins with /reported or /desired")
    .option("--limit <number>", "maximum number of versions", parseInteger(1));
  addShadowStoreOptions(addShadowNameOption(command)).action((thing: string, flags: HistoryFlags) =>
    history(thing, flags, context),
  );
}

async function history(id: string, flags: HistoryFlags, { io }: CommandContext): Promise<void> {
  const { printJson } = await import("@tablekeep/shadow");
  const { entryDocument } = await import("../../json/shadow-json.ts");
  const { name, path } = flags;
  await using found = await findShadows(flags, io);
  let left = flags.limit ?? Number.POSITIVE_INFINITY;
  let token: string | undefined;
  do {
    const request = { id, name, path, token, limit: Math.min(left, 100) };
    const page = await found.manager.history(request, { signal: io.signal });
    for (const entry of page.entries) io.stdout.write(`${printJson(entryDocument(entry))}\n`);
    left -= page.entries.length;
    token = page.token;
  } while (token !== undefined && left > 0);
}

/** `tablekeep shadow diff` */
export function addShadowDiffCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "diff", {
    summary: "print what differs between two versions or times",
    description:
      "Prints the values of a shadow that differ between two versions or times, as one line of JSON.",
    examples: ["npx tablekeep shadow diff lamp 3 7", "npx tablekeep shadow diff lamp 3 2026-11-01T12:00:00Z"],
  })
    .argument("<thing>", "thing name")
    .argument("<from>", "version, or time in ISO 8601")
    .argument("<to>", "version, or time in ISO 8601");
  addShadowStoreOptions(addShadowNameOption(command)).action(
    async (id: string, from: string, to: string, flags: ShadowNameFlags) => {
      const { changesJson } = await import("../../json/shadow-json.ts");
      const { io } = context;
      const points = [await pointOf(from), await pointOf(to)] as const;
      await using found = await findShadows(flags, io);
      const changes = await found.manager.diff({ id, name: flags.name }, ...points, { signal: io.signal });
      io.stdout.write(`${changesJson(changes)}\n`);
    },
  );
}

/** Parses a version or a time. */
export async function pointOf(text: string): Promise<HistoryPoint> {
  const { parsePoint } = await import("../../json/shadow-json.ts");
  const point = parsePoint(text);
  if (point !== undefined) return point;
  throw new CliError(
    "CLI_VALUE_INVALID",
    `expected a version, such as 7, or a time, such as 2026-11-01T12:00:00Z, got ${JSON.stringify(text)}`,
  );
}

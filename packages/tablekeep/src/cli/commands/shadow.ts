import { sleep, systemClock, unwrap } from "@tablekeep/core";
import type { Command } from "commander";
import { rowJson } from "../../json/shadow-json.ts";
import {
  addCommand,
  addConfirmOption,
  type ConfirmFlag,
  parseInteger,
  parseRate,
} from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, confirm, printable, runUntilStopped } from "../frame/command-context.ts";
import { requireServed } from "../frame/poll-until.ts";
import {
  addShadowNameOption,
  addShadowStoreOptions,
  describeShadow,
  findShadows,
  printView,
  type ShadowNameFlags,
  type ShadowStoreFlags,
} from "../shadow/find-shadows.ts";
import { addShadowExportCommand } from "./shadow-export.ts";
import { addShadowGroupCommand } from "./shadow-group.ts";
import { addShadowDiffCommand, addShadowHistoryCommand, pointOf } from "./shadow-history.ts";
import { addShadowImportCommand } from "./shadow-import.ts";
import { addShadowDesireCommand, addShadowPutCommand, addShadowReportCommand } from "./shadow-put.ts";
import { addShadowRolloutCommand } from "./shadow-rollout.ts";
import { addShadowSimulateCommand } from "./shadow-simulate.ts";
import { addShadowSyncCommand } from "./shadow-sync.ts";
import { addShadowVerifyCommand } from "./shadow-verify.ts";
import { addShadowWaitCommand } from "./shadow-wait.ts";

/** `tablekeep shadow get` */
function addShadowGetCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "get", {
    summary: "print a shadow",
    description:
      "Prints a shadow as one line of JSON: desired and reported state, the delta, and whether the thing is connected. With --at as it was at a version or a time.",
    examples: [
      "npx tablekeep shadow get lamp",
      "npx tablekeep shadow get lamp --name config",
      "npx tablekeep shadow get lamp --at 7",
    ],
  })
    .argument("<thing>", "thing name")
    .option("--at <point>", "version, or time in ISO 8601, if the server keeps a history");
  addShadowStoreOptions(addShadowNameOption(command)).action((thing: string, flags: GetFlags) =>
    get(thing, flags, context),
  );
}

interface GetFlags extends ShadowNameFlags {
  readonly at?: string;
}

async function get(id: string, flags: GetFlags, context: CommandContext): Promise<void> {
  const { signal } = context.io;
  const { name } = flags;
  const at = flags.at === undefined ? undefined : await pointOf(flags.at);
  await using found = await findShadows(flags, context.io);
  const view = await (at === undefined
    ? found.manager.get({ id, name }, { signal })
    : found.manager.at({ id, name }, at, { signal }));
  if (view === undefined) throw at === undefined ? noShadow(id, name) : noVersion(id, name);
  const connectivity =
    at === undefined ? (await found.manager.connectivity([id], { signal })).get(id) : undefined;
  printView({ ...view, ...(connectivity && { connectivity }) }, context);
}

function noShadow(id: string, name: string): CliError {
  return new CliError(
    "CLI_NO_SHADOW",
    `no ${describeShadow({ id, name })}: "tablekeep shadow list" lists the shadows`,
  );
}

function noVersion(id: string, name: string): CliError {
  return new CliError(
    "CLI_NO_SHADOW",
    `no ${describeShadow({ id, name })} at this version or time: "tablekeep shadow history" prints the versions that are kept`,
  );
}

/** `tablekeep shadow list` */
function addShadowListCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "list", {
    summary: "list the shadows of all things, or of one",
    description:
      "Lists shadows: thing, name, version, and whether the thing is connected. Without a thing, it reads the whole table. With --query, it prints each shadow that matches as one line of JSON.",
    examples: [
      "npx tablekeep shadow list",
      "npx tablekeep shadow list lamp --json",
      `npx tablekeep shadow list --query 'reported.firmware<"2.1"'`,
      "npx tablekeep shadow list --query connected",
    ],
  })
    .argument("[thing]", "only this thing")
    .option("--query <condition>", "only shadows that match this condition")
    .option("--limit <number>", "maximum number of shadows", parseInteger(1));
  addShadowStoreOptions(command).action((thing: string | undefined, flags: ListFlags) =>
    flags.query === undefined ? list(thing, flags, context) : search(thing, flags.query, flags, context),
  );
}

interface ListFlags extends ShadowStoreFlags {
  readonly query?: string;
  readonly limit?: number;
}

async function search(
  id: string | undefined,
  query: string,
  flags: ListFlags,
  context: CommandContext,
): Promise<void> {
  const { signal } = context.io;
  await using found = await findShadows(flags, context.io);
  let matches = 0;
  let left = flags.limit ?? Number.POSITIVE_INFINITY;
  let token: string | undefined;
  do {
    const page = await found.manager.search({ query, id, token, limit: Math.min(left, 100) }, { signal });
    for (const view of page.shadows) printView(view, context);
    matches += page.shadows.length;
    left -= page.shadows.length;
    token = page.token;
  } while (token !== undefined && left > 0);
  if (matches === 0) context.printIfNone("No shadow matches.");
}

async function list(
  id: string | undefined,
  flags: ListFlags,
  { io, printRow, printIfNone }: CommandContext,
): Promise<void> {
  await using found = await findShadows(flags, io);
  let left = flags.limit ?? Number.POSITIVE_INFINITY;
  let token: string | undefined;
  do {
    const page = await found.manager.list({ id, token, limit: Math.min(left, 100), signal: io.signal });
    const connectivity = await found.manager.connectivity(
      page.rows.map((row) => row.id),
      { signal: io.signal },
    );
    for (const row of page.rows) {
      const connected = connectivity.get(row.id)?.connected ?? false;
      const name = row.name === "" ? "(classic)" : row.name;
      await printRow(
        () =>
          printable(
            `${row.id}  ${name}  ${row.kind}  version ${row.version}  ${connected ? "connected" : "disconnected"}`,
          ),
        () => ({ ...rowJson(row), connected }),
      );
    }
    left -= page.rows.length;
    token = page.token;
  } while (token !== undefined && left > 0);
  printIfNone(id === undefined ? "No shadows." : `No shadows of ${printable(id)}.`);
}

interface DeleteFlags extends ShadowNameFlags, ConfirmFlag {
  readonly ifVersion?: number;
}

/** `tablekeep shadow delete` */
function addShadowDeleteCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "delete", {
    summary: "delete a shadow",
    description:
      "Deletes a shadow. Its version is kept for 48 hours: a shadow created again in that time continues from it.",
    examples: [
      "npx tablekeep shadow delete lamp --yes",
      "npx tablekeep shadow delete lamp --name config --yes",
    ],
  })
    .argument("<thing>", "thing name")
    .option("--if-version <number>", "fail unless this is the current version", parseInteger(1));
  addShadowStoreOptions(addShadowNameOption(addConfirmOption(command))).action(
    (thing: string, flags: DeleteFlags) => remove(thing, flags, context),
  );
}

async function remove(id: string, flags: DeleteFlags, { io, printDone }: CommandContext): Promise<void> {
  const { name, ifVersion: version, yes } = flags;
  await using found = await findShadows(flags, io);
  const named = printable(name === "" ? id : `${id}, ${name}`);
  if ((await found.manager.get({ id, name }, { signal: io.signal })) === undefined) throw noShadow(id, name);
  await confirm(io, yes, `This deletes the shadow of ${named}.`);
  const deleted = unwrap(await found.manager.delete({ id, name, version }, { signal: io.signal }));
  printDone(`Deleted version ${deleted.version} of ${named}.`, { thing: id, name, version: deleted.version });
}

interface WatchFlags extends ShadowNameFlags {
  readonly interval: number;
}

/** `tablekeep shadow watch` */
function addShadowWatchCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "watch", {
    summary: "print a shadow when it changes",
    description:
      "Prints a shadow, and again whenever its version changes, until Ctrl+C. Versions that exist only between two polls are not printed.",
    examples: ["npx tablekeep shadow watch lamp"],
  })
    .argument("<thing>", "thing name")
    .option("--interval <seconds>", "polling interval", parseRate, 1);
  addShadowStoreOptions(addShadowNameOption(command)).action((thing: string, flags: WatchFlags) =>
    watch(thing, flags, context),
  );
}

async function watch(id: string, flags: WatchFlags, context: CommandContext): Promise<void> {
  const { signal } = context.io;
  await runUntilStopped(signal, async () => {
    await using found = await findShadows(flags, context.io);
    requireServed(found.isExclusive, `shadow get ${printable(id)}`);
    let seen = 0;
    while (!signal.aborted) {
      const view = await found.manager.get({ id, name: flags.name }, { signal });
      if (view !== undefined && view.version !== seen) printView(view, context);
      seen = view?.version ?? 0;
      await sleep(systemClock, flags.interval * 1000, signal);
    }
  });
}

/** `tablekeep shadow …`: reads and changes device shadows. */
export function addShadowCommand(program: Command, context: CommandContext): void {
  const shadow = addCommand(program, "shadow", {
    summary: "read, change, export and import device shadows",
    description: "Reads, changes, exports and imports device shadows of Tablekeep and of godeviceshadow.",
    examples: ["npx tablekeep shadow get lamp", `npx tablekeep shadow desire lamp '{"on":true}'`],
  });
  const commands = [
    addShadowListCommand,
    addShadowGetCommand,
    addShadowPutCommand,
    addShadowDesireCommand,
    addShadowReportCommand,
    addShadowDeleteCommand,
    addShadowWatchCommand,
    addShadowWaitCommand,
    addShadowExportCommand,
    addShadowImportCommand,
    addShadowVerifyCommand,
    addShadowHistoryCommand,
    addShadowDiffCommand,
    addShadowGroupCommand,
    addShadowRolloutCommand,
    addShadowSyncCommand,
    addShadowSimulateCommand,
  ];
  for (const addTo of commands) addTo(shadow, context);
}

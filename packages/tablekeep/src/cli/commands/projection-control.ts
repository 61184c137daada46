import { type Command, InvalidArgumentError } from "commander";
import { feedStart } from "../../json/feed-json.ts";
import {
  addCommand,
  addConfirmOption,
  type CommandText,
  type ConfirmFlag,
  parseInteger,
} from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, confirm, printable } from "../frame/command-context.ts";
import { counted } from "../frame/progress.ts";
import {
  addProjectionOptions,
  addVersionOptions,
  type FoundProjections,
  findProjections,
  type ProjectionFlags,
  type VersionFlags,
} from "../journal/find-projections.ts";

/** The change that a command makes to one version of a projection. Returns the output. */
type Change<Flags> = (
  projections: FoundProjections["projections"],
  name: string,
  options: { readonly version?: number; readonly signal: AbortSignal },
  flags: Flags,
) => Promise<readonly [string, object]>;

/** A command that changes one version of a projection. */
interface ChangeCommand<Flags> extends CommandText {
  readonly change: Change<Flags>;
  /** Declares the options of the command. @default none */
  readonly options?: (command: Command) => Command;
  /** What the user confirms first. @default nothing */
  readonly question?: (name: string, flags: Flags) => string;
}

function addChange<Flags extends VersionFlags & ConfirmFlag>(
  projection: Command,
  context: CommandContext,
  name: string,
  { change, options, question, ...text }: ChangeCommand<Flags>,
): void {
  const command = addCommand(projection, name, text);
  options?.(command);
  if (question !== undefined) addConfirmOption(command);
  addVersionOptions(command).action(async (given: string, flags: Flags) => {
    const { io, printDone } = context;
    await using found = await findProjections(flags, io);
    const call = { version: flags.projectionVersion, signal: io.signal };
    if (question !== undefined) {
      const asked = question(given, flags);
      const known = await found.projections.list({ signal: io.signal });
      // Throws for a projection that does not exist, before the user is asked for confirmation.
      if (!known.some(({ name: each }) => each === given)) await found.projections.status(given, call);
      await confirm(io, flags.yes, asked);
    }
    const [line, value] = await change(found.projections, given, call, flags);
    printDone(printable(line), value);
  });
}

interface IdFlags extends VersionFlags, ConfirmFlag {
  readonly id?: string;
}

export function addRetryCommand(projection: Command, context: CommandContext): void {
  addChange<IdFlags>(projection, context, "retry", {
    summary: "apply parked events again",
    description:
      "Applies parked events of a projection again, those of an id in order. A process that runs the projection does the work.",
    examples: [
      "npx tablekeep projection retry balances",
      "npx tablekeep projection retry balances --id cart-17",
    ],
    options: (command) => command.option("--id <id>", "only events of this persistence id"),
    async change(projections, name, options, { id }) {
      const ids = await projections.retryParked(name, { ...options, persistenceId: id });
      return [`Events of ${counted(ids, "id")} are applied again.`, { name, ids }];
    },
  });
}

interface DropFlags extends IdFlags {
  readonly event?: { readonly slice: number; readonly offset: number };
  readonly all?: true;
}

export function addDropCommand(projection: Command, context: CommandContext): void {
  addChange<DropFlags>(projection, context, "drop", {
    summary: "remove parked events without applying them",
    description:
      "Removes parked events of a projection without applying them: all, those of an id, or one, after which the later ones of its id are applied. The events stay in the journal.",
    examples: [
      "npx tablekeep projection drop balances --event 3:17 --yes",
      "npx tablekeep projection drop balances --all",
    ],
    options: (command) =>
      command
        .option("--id <id>", "all parked events of this persistence id")
        .option("--event <slice:offset>", "one event, as parked prints it", parsePlace)
        .option("--all", "all parked events"),
    question(name, { id, event, all }) {
      const given = [id, event, all].filter((each) => each !== undefined);
      if (given.length !== 1)
        throw new CliError("CLI_OPTION_MISSING", "set exactly one of --id, --event and --all");
      return `Remove parked events of projection ${name} without applying them?`;
    },
    async change(projections, name, options, { id: persistenceId, event, all }) {
      const events = await projections.dropParked(name, { ...options, persistenceId, event, all });
      return [`Removed ${counted(events, "parked event")} of ${name}.`, { name, events }];
    },
  });
}

function parsePlace(text: string): { readonly slice: number; readonly offset: number } {
  const [, slice, offset] = /^(\d{1,4}):(\d{1,15})$/.exec(text) ?? [];
  if (slice === undefined) throw new InvalidArgumentError("expected slice:offset, such as 3:17");
  return { slice: Number(slice), offset: Number(offset) };
}

interface SkipFlags extends VersionFlags, ConfirmFlag {
  readonly slice: number;
}

export function addSkipCommand(projection: Command, context: CommandContext): void {
  addChange<SkipFlags>(projection, context, "skip", {
    summary: "skip the event that stopped a slice",
    description: "Skips the event that stopped a slice of a projection, without applying it, and prints it.",
    examples: ["npx tablekeep projection skip balances --slice 3 --yes"],
    options: (command) =>
      command.requiredOption("--slice <number>", "the slice, as get prints it", parseInteger(0)),
    question: (name, { slice }) => `Skip the event that stopped slice ${slice} of projection ${name}?`,
    async change(projections, name, options, { slice }) {
      const event = await projections.skip(name, slice, options);
      return [`Skipped ${event.persistenceId} ${event.sequenceNr}.`, { name, slice, skipped: event }];
    },
  });
}

export function addPauseCommand(projection: Command, context: CommandContext): void {
  addChange(projection, context, "pause", {
    summary: "stop a projection",
    description:
      "Stops a projection. Once the command has ended, nothing is applied until it is resumed, whichever processes run it.",
    examples: ["npx tablekeep projection pause balances"],
    async change(projections, name, options) {
      await projections.pause(name, options);
      return [`Paused ${name}.`, { name, state: "paused" }];
    },
  });
}

export function addResumeCommand(projection: Command, context: CommandContext): void {
  addChange(projection, context, "resume", {
    summary: "continue a projection",
    description: "Continues a projection that was paused or stopped. The event that stopped it is retried.",
    examples: ["npx tablekeep projection resume balances"],
    async change(projections, name, options) {
      await projections.resume(name, options);
      return [`Resumed ${name}.`, { name, state: "running" }];
    },
  });
}

interface RewindFlags extends VersionFlags, ConfirmFlag {
  readonly to: string;
}

export function addRewindCommand(projection: Command, context: CommandContext): void {
  addChange<RewindFlags>(projection, context, "rewind", {
    summary: "move a projection to another position",
    description:
      "Moves a projection to another position of the feed. Events that it passes a second time are applied again, and events that it skips are not applied. What it has written is not changed.",
    examples: [
      "npx tablekeep projection rewind balances --to start --yes",
      "npx tablekeep projection rewind balances --to 2026-11-16T08:00:00Z",
    ],
    options: (command) => command.requiredOption("--to <place>", "start, end, a position, or a time"),
    question: (name, { to }) => `Move projection ${name} to ${to}? Events may be applied again.`,
    async change(projections, name, options, { to }) {
      await projections.rewind(name, feedStart(to), options);
      return [`Moved ${name} to ${to}.`, { name, to }];
    },
  });
}

interface ForceFlags extends ProjectionFlags {
  readonly force?: true;
}

export function addSwitchCommand(projection: Command, context: CommandContext): void {
  const command = addCommand(projection, "switch", {
    summary: "make another version the current one",
    description:
      "Makes a version of a projection the one that readers use. Fails if it is behind the current one or stopped.",
    examples: ["npx tablekeep projection switch balances 2"],
  })
    .argument("<name>", "name of the projection")
    .argument("<version>", "the version", parseInteger(1))
    .option("--force", "switch even if it is behind or stopped");
  addProjectionOptions(command).action(async (name: string, version: number, flags: ForceFlags) => {
    const { io, printDone } = context;
    await using found = await findProjections(flags, io);
    await found.projections.switchTo(name, version, { force: flags.force, signal: io.signal });
    printDone(printable(`Version ${version} of ${name} is the current one.`), { name, current: version });
  });
}

export function addDeleteCommand(projection: Command, context: CommandContext): void {
  addChange<VersionFlags & ConfirmFlag & ForceFlags>(projection, context, "delete", {
    summary: "delete a projection, or one version of it",
    description:
      "Deletes a projection, or with --projection-version one version: its positions and parked events, not what it has written. Fails while a process runs it, and for the current version if there are others.",
    examples: ["npx tablekeep projection delete balances --projection-version 1 --yes"],
    options: (command) => command.option("--force", "delete it even if it is in use"),
    question(name, { projectionVersion: version }) {
      const what = version === undefined ? "all versions" : `version ${version}`;
      return `Delete ${what} of projection ${name}, with positions and parked events?`;
    },
    async change(projections, name, options, { force }) {
      await projections.remove(name, { ...options, force });
      return [`Deleted ${name}.`, { name, ...(options.version && { version: options.version }) }];
    },
  });
}

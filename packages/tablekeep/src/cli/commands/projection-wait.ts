import type { ProjectionStatus } from "@tablekeep/feed/projections";
import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import { type CommandContext, printable } from "../frame/command-context.ts";
import { addWaitOptions, pollUntil, unserved, type WaitFlags } from "../frame/poll-until.ts";
import { counted } from "../frame/progress.ts";
import { addVersionOptions, findProjections, type VersionFlags } from "../journal/find-projections.ts";

/** `tablekeep projection wait` */
export function addWaitCommand(projection: Command, context: CommandContext): void {
  const command = addCommand(projection, "wait", {
    summary: "wait until a projection has caught up",
    description:
      "Waits until a projection has applied every event of the feed, such as before switch. Parked events do not count. Exits with 3 after the timeout, and at once if an event has stopped the projection or it is paused.",
    examples: [
      "npx tablekeep projection wait balances",
      "npx tablekeep projection wait balances --projection-version 2 --timeout 600",
    ],
  });
  addVersionOptions(addWaitOptions(command)).action((name: string, flags: VersionFlags & WaitFlags) =>
    wait(name, flags, context),
  );
}

async function wait(
  name: string,
  flags: VersionFlags & WaitFlags,
  { io, printDone }: CommandContext,
): Promise<void> {
  const version = flags.projectionVersion;
  await using found = await findProjections(flags, io);
  let last: ProjectionStatus | undefined;
  const status = await pollUntil(
    {
      async find(call) {
        last = await found.projections.status(name, { version, ...call });
        return last.lagEvents === 0 && last.state === "running" ? last : undefined;
      },
      missing: () => missingText(name, last),
      hopeless: () => reasonOf(name, last) ?? unserved(found.store.isExclusive),
      signal: io.signal,
    },
    flags,
  );
  const { parked } = status;
  const rest =
    parked === 0 ? "" : `; ${counted(parked, "event")} of it ${parked === 1 ? "is" : "are"} parked`;
  printDone(printable(`${name} ${status.version} has caught up${rest}.`), {
    name,
    version: status.version,
    parked,
  });
}

function missingText(name: string, status: ProjectionStatus | undefined): string {
  return `${name} ${status?.version ?? ""} did not catch up: ${counted(status?.lagEvents ?? 0, "event")} behind`;
}

/** Nothing more is applied until it is resumed. */
function reasonOf(name: string, status: ProjectionStatus | undefined): string | undefined {
  if (status === undefined || status.state === "running") return undefined;
  const { state, lastError, slices } = status;
  // Nothing that could be resumed: the error itself says what to do.
  if (state === "stopped" && !slices.some(({ failed }) => failed !== undefined))
    return `(${lastError ?? state})`;
  return `(it is ${state}: read "tablekeep projection get ${name}", then resume it)`;
}

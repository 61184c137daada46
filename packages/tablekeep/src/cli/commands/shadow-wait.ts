import type { FoundShadow, ShadowManager } from "@tablekeep/shadow";
import type { Command } from "commander";
import { addCommand } from "../frame/add-command.ts";
import type { CommandContext } from "../frame/command-context.ts";
import { addWaitOptions, type PollCall, pollUntil, unserved, type WaitFlags } from "../frame/poll-until.ts";
import {
  addShadowNameOption,
  addShadowStoreOptions,
  describeShadow,
  findShadows,
  printView,
  type ShadowNameFlags,
} from "../shadow/find-shadows.ts";

interface ShadowWaitFlags extends ShadowNameFlags, WaitFlags {
  readonly query: string;
}

/** The query for a thing that has reported everything desired. */
const inSync = "not delta exists";

/** `tablekeep shadow wait` */
export function addShadowWaitCommand(shadow: Command, context: CommandContext): void {
  const command = addCommand(shadow, "wait", {
    summary: "wait until a shadow matches a condition",
    description:
      "Prints a shadow as soon as it matches a condition: by default, as soon as the thing has reported every desired value. A state that exists only between two polls is not seen. Exits with 3 after the timeout.",
    examples: [
      "npx tablekeep shadow wait lamp",
      "npx tablekeep shadow wait lamp --query reported.on=true --timeout 5",
      `npx tablekeep shadow wait lamp --query 'reported.firmware>="2.1"'`,
    ],
  })
    .argument("<thing>", "thing name")
    .option("--query <condition>", "condition to wait for", inSync);
  addShadowStoreOptions(addShadowNameOption(addWaitOptions(command))).action(
    (thing: string, flags: ShadowWaitFlags) => wait(thing, flags, context),
  );
}

async function wait(id: string, flags: ShadowWaitFlags, context: CommandContext): Promise<void> {
  const { name, query } = flags;
  const { signal } = context.io;
  await using found = await findShadows(flags, context.io);
  const { manager, isExclusive } = found;
  let seen: number | undefined;
  const view = await pollUntil(
    {
      async find(call) {
        const match = await matching(manager, { id, name, query }, call);
        if (match === undefined) seen = (await manager.get({ id, name }, call))?.version;
        return match;
      },
      missing: () =>
        seen === undefined
          ? `no ${describeShadow({ id, name })}`
          : `the ${describeShadow({ id, name })}, now version ${seen}, did not match "${query}"`,
      hopeless: () => unserved(isExclusive),
      signal,
    },
    flags,
  );
  printView(view, context);
}

interface Wanted {
  readonly id: string;
  readonly name: string;
  readonly query: string;
}

/** The shadow, if it matches. A search returns all matching shadows of the thing. */
async function matching(
  manager: ShadowManager,
  { id, name, query }: Wanted,
  call: PollCall,
): Promise<FoundShadow | undefined> {
  let token: string | undefined;
  do {
    const page = await manager.search({ id, query, token }, call);
    const view = page.shadows.find((each) => each.name === name);
    if (view !== undefined) return view;
    token = page.token;
  } while (token !== undefined);
  return undefined;
}

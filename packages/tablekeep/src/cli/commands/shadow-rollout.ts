import { isTablekeepError } from "@tablekeep/core";
import type { Rollout, RolloutGate, ShadowRollouts } from "@tablekeep/shadow";
import { type Command, InvalidArgumentError, Option } from "commander";
import { addCommand, addConfirmOption, type ConfirmFlag, parseRate } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, confirm, printable } from "../frame/command-context.ts";
import { readJsonObject } from "../frame/json-argument.ts";
import {
  addShadowNameOption,
  addShadowStoreOptions,
  findShadows,
  type ShadowNameFlags,
  type ShadowStoreFlags,
} from "../shadow/find-shadows.ts";

/** `tablekeep shadow rollout …`: a desired state for many things, in waves. */
export function addShadowRolloutCommand(shadow: Command, context: CommandContext): void {
  const rollout = addCommand(shadow, "rollout", {
    summary: "change the desired state of many things, in waves",
    description: "Creates, shows and controls rollouts. A server on the same table runs them.",
    examples: [
      `npx tablekeep shadow rollout create v2 connected '{"firmware":"2.1"}' --waves 1,10%`,
      "npx tablekeep shadow rollout get v2",
    ],
  });
  for (const addTo of [addCreate, addList, addGet, addPause, addResume, addCancel, addRollback])
    addTo(rollout, context);
}

interface CreateFlags extends ShadowNameFlags {
  readonly waves?: readonly (number | string)[];
  readonly succeeded?: number;
  readonly within?: number;
  readonly onFailure?: RolloutGate["onFailure"];
}

function addCreate(rollout: Command, { io, print }: CommandContext): void {
  const command = addCommand(rollout, "create", {
    summary: "create a rollout",
    description:
      "Creates a rollout: merges a JSON document into the desired state of the shadows that a query matches, wave by wave.",
    examples: [
      `npx tablekeep shadow rollout create v2 connected '{"firmware":"2.1"}' --waves 1,10%`,
      `npx tablekeep shadow rollout create dim 'group="kitchen"' '{"level":1}' --within 60 --on-failure roll-back`,
    ],
  })
    .argument("<rollout>", "name of the rollout")
    .argument("<query>", "condition for the shadows")
    .argument("<desired>", "JSON document to merge into the desired state; - reads it from stdin")
    .option(
      "--waves <sizes>",
      "sizes of waves, as things or shares; what is left is the last one",
      parseWaves,
    )
    .option(
      "--succeeded <share>",
      "share of a wave that must report the desired values, from 0 to 1",
      parseShare,
    )
    .option("--within <seconds>", "time that a thing has to report them (default: an hour)", parseRate)
    .addOption(
      new Option("--on-failure <action>", "what happens when a wave fails (default: pause)").choices([
        "pause",
        "roll-back",
      ]),
    );
  addShadowStoreOptions(addShadowNameOption(command)).action(
    async (name: string, query: string, desired: string, flags: CreateFlags) => {
      const { waves, succeeded, within, onFailure } = flags;
      const gate = {
        ...(succeeded !== undefined && { succeeded }),
        ...(within !== undefined && { withinMs: Math.ceil(within * 1000) }),
        ...(onFailure !== undefined && { onFailure }),
      };
      const words = { what: "the desired state", example: '{"on":true}' };
      const document = await readJsonObject(desired, words, io);
      await using found = await findShadows(flags, io);
      const request = { name, query, shadow: flags.name, desired: document, gate };
      const created = await found.rollouts.create(
        { ...request, ...(waves && { waves }) },
        { signal: io.signal },
      );
      print(`Created rollout ${name}. A server on this table runs it.`, await documentOf(created));
    },
  );
}

function parseWaves(text: string): (number | string)[] {
  return text.split(",").map((size) => {
    if (/^\d+$/.test(size)) return Number(size);
    if (/^\d+(?:\.\d+)?%$/.test(size)) return size;
    throw new InvalidArgumentError("expected sizes such as 1,10%");
  });
}

function parseShare(text: string): number {
  const share = Number(text);
  if (text.trim() !== "" && share >= 0 && share <= 1) return share;
  throw new InvalidArgumentError("expected a number from 0 to 1");
}

function addList(rollout: Command, { io, printNext, printIfNone }: CommandContext): void {
  const command = addCommand(rollout, "list", {
    summary: "list rollouts",
    description: "Lists rollouts: name, phase and wave.",
    examples: ["npx tablekeep shadow rollout list"],
  });
  addShadowStoreOptions(command).action(async (flags: ShadowStoreFlags) => {
    await using found = await findShadows(flags, io);
    for (const each of await found.rollouts.list({ signal: io.signal })) {
      const document = await documentOf(each);
      await printNext(
        () => textOf(each),
        () => document,
      );
    }
    printIfNone("No rollouts.");
  });
}

function textOf({ name, phase, wave, waves, reason }: Rollout): string {
  const of = waves.length === 0 ? "" : `  wave ${wave} of ${waves.length}`;
  return printable(`${name}  ${phase}${of}${reason === undefined ? "" : `  ${reason}`}`);
}

function addGet(rollout: Command, { io, print, printNext }: CommandContext): void {
  const command = addCommand(rollout, "get", {
    summary: "print a rollout and its things",
    description: "Prints a rollout, and each of its things with its wave and its state.",
    examples: ["npx tablekeep shadow rollout get v2", "npx tablekeep shadow rollout get v2 --json"],
  }).argument("<rollout>", "name of the rollout");
  addShadowStoreOptions(command).action(async (name: string, flags: ShadowStoreFlags) => {
    const call = { signal: io.signal };
    await using found = await findShadows(flags, io);
    const shown = await found.rollouts.get(name, call);
    if (shown === undefined) throw noRollout(name);
    print(textOf(shown), await documentOf(shown));
    let token: string | undefined;
    do {
      const page = await found.rollouts.things(name, { token }, call);
      for (const { thing, wave, status, reason } of page.things)
        await printNext(
          () => printable(`  ${thing}  wave ${wave}  ${status}${reason === undefined ? "" : `  ${reason}`}`),
          () => ({ thing, wave, status, reason }),
        );
      token = page.token;
    } while (token !== undefined);
  });
}

function noRollout(name: string): CliError {
  return new CliError(
    "CLI_NO_ROLLOUT",
    `no such rollout: ${JSON.stringify(name)}; "tablekeep shadow rollout list" lists the rollouts`,
  );
}

type Change = (rollouts: ShadowRollouts, name: string, signal: AbortSignal) => Promise<Rollout>;

async function change(
  name: string,
  flags: ShadowStoreFlags,
  { io, print }: CommandContext,
  run: Change,
): Promise<void> {
  await using found = await findShadows(flags, io);
  const changed = await run(found.rollouts, name, io.signal).catch((error: unknown) => {
    throw isTablekeepError(error) && error.code === "SHADOW_ROLLOUT_NOT_FOUND" ? noRollout(name) : error;
  });
  print(textOf(changed), await documentOf(changed));
}

function addPause(rollout: Command, context: CommandContext): void {
  const command = addCommand(rollout, "pause", {
    summary: "pause a rollout",
    description: "Pauses a rollout until resume. An update that is in flight may still be applied.",
    examples: ["npx tablekeep shadow rollout pause v2"],
  }).argument("<rollout>", "name of the rollout");
  addShadowStoreOptions(command).action((name: string, flags: ShadowStoreFlags) =>
    change(name, flags, context, (rollouts, of, signal) => rollouts.pause(of, { signal })),
  );
}

function addResume(rollout: Command, context: CommandContext): void {
  const command = addCommand(rollout, "resume", {
    summary: "continue a paused rollout",
    description:
      "Continues a rollout that is paused. The things of its wave get their full time again; with --accept, the next wave starts whatever they report.",
    examples: ["npx tablekeep shadow rollout resume v2", "npx tablekeep shadow rollout resume v2 --accept"],
  })
    .argument("<rollout>", "name of the rollout")
    .option("--accept", "accept the wave as it is");
  addShadowStoreOptions(command).action((name: string, flags: ShadowStoreFlags & { accept?: true }) =>
    change(name, flags, context, (rollouts, of, signal) =>
      rollouts.resume(of, { accept: flags.accept === true }, { signal }),
    ),
  );
}

function addCancel(rollout: Command, context: CommandContext): void {
  const command = addCommand(rollout, "cancel", {
    summary: "end a rollout",
    description: "Ends a rollout. What it has changed stays.",
    examples: ["npx tablekeep shadow rollout cancel v2"],
  }).argument("<rollout>", "name of the rollout");
  addShadowStoreOptions(command).action((name: string, flags: ShadowStoreFlags) =>
    change(name, flags, context, (rollouts, of, signal) => rollouts.cancel(of, { signal })),
  );
}

function addRollback(rollout: Command, context: CommandContext): void {
  const command = addCommand(rollout, "rollback", {
    summary: "restore the previous desired values",
    description:
      "Restores the desired values that the things of a rollout had before it, except those that were changed since.",
    examples: ["npx tablekeep shadow rollout rollback v2 --yes"],
  }).argument("<rollout>", "name of the rollout");
  addShadowStoreOptions(addConfirmOption(command)).action(
    async (name: string, flags: ShadowStoreFlags & ConfirmFlag) => {
      const question = `This restores the desired values of the things of ${printable(name)}.`;
      await change(name, flags, context, async (rollouts, of, signal) => {
        if ((await rollouts.get(of, { signal })) === undefined) throw noRollout(of);
        await confirm(context.io, flags.yes, question);
        return rollouts.rollBack(of, { signal });
      });
    },
  );
}

async function documentOf(rollout: Rollout): Promise<object> {
  const { printJson } = await import("@tablekeep/shadow");
  const { rolloutDocument } = await import("../../json/shadow-json.ts");
  // Numbers beyond 2^53 are not exact here.
  return JSON.parse(printJson(rolloutDocument(rollout))) as object;
}

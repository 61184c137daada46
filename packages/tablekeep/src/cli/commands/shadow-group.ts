import { isTablekeepError } from "@tablekeep/core";
import type { ShadowGroup } from "@tablekeep/shadow";
import type { Command } from "commander";
import { addCommand, addConfirmOption, type ConfirmFlag } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, confirm, printable } from "../frame/command-context.ts";
import { addShadowStoreOptions, findShadows, type ShadowStoreFlags } from "../shadow/find-shadows.ts";

/** `tablekeep shadow group …`: groups of things. */
export function addShadowGroupCommand(shadow: Command, context: CommandContext): void {
  const group = addCommand(shadow, "group", {
    summary: "group things, by a list or a query",
    description: 'Lists and changes groups of things. A query names them: group = "kitchen".',
    examples: [
      "npx tablekeep shadow group put kitchen",
      `npx tablekeep shadow group put old --query 'reported.firmware<"2.1"'`,
    ],
  });
  for (const addTo of [addPut, addList, addThings, addAdd, addRemove, addDelete]) addTo(group, context);
}

interface PutFlags extends ShadowStoreFlags {
  readonly query?: string;
}

function addPut(group: Command, { io, printDone }: CommandContext): void {
  const command = addCommand(group, "put", {
    summary: "create a group, or change its query",
    description:
      "Creates a group: dynamic with --query, static without. Replaces the query of a dynamic one.",
    examples: [
      "npx tablekeep shadow group put kitchen",
      `npx tablekeep shadow group put old --query 'reported.firmware<"2.1"'`,
    ],
  })
    .argument("<group>", "name of the group")
    .option("--query <condition>", "the things of a dynamic group");
  addShadowStoreOptions(command).action(async (name: string, { query, ...flags }: PutFlags) => {
    await using found = await findShadows(flags, io);
    await found.manager.groups.save({ name, query }, { signal: io.signal });
    printDone(`Stored group ${name}.`, { name, query });
  });
}

function addList(group: Command, { io, printNext, printIfNone }: CommandContext): void {
  const command = addCommand(group, "list", {
    summary: "list groups",
    description: "Lists groups with their kinds, and the queries of dynamic ones.",
    examples: ["npx tablekeep shadow group list", "npx tablekeep shadow group list --json"],
  });
  addShadowStoreOptions(command).action(async (flags: ShadowStoreFlags) => {
    await using found = await findShadows(flags, io);
    let token: string | undefined;
    do {
      const page = await found.manager.groups.list({ token }, { signal: io.signal });
      for (const each of page.groups)
        await printNext(
          () => printable(textOf(each)),
          () => each,
        );
      token = page.token;
    } while (token !== undefined);
    printIfNone("No groups.");
  });
}

function textOf({ name, query }: ShadowGroup): string {
  return query === undefined ? `${name}  static` : `${name}  dynamic  ${query}`;
}

function addThings(group: Command, { io, printNext }: CommandContext): void {
  const command = addCommand(group, "things", {
    summary: "list the things of a group",
    description: "Lists the things of a static group, or those that match the query of a dynamic one now.",
    examples: ["npx tablekeep shadow group things kitchen"],
  }).argument("<group>", "name of the group");
  addShadowStoreOptions(command).action(async (name: string, flags: ShadowStoreFlags) => {
    const call = { signal: io.signal };
    await using found = await findShadows(flags, io);
    const { manager } = found;
    const known = await manager.groups.get(name, call);
    if (known === undefined) throw noGroup(name);
    const next = async (token: string | undefined) => {
      if (known.query === undefined) return manager.groups.things(name, { token }, call);
      const page = await manager.search({ query: known.query, token }, call);
      return { things: page.shadows.map(({ id }) => id), token: page.token };
    };
    // A thing has several shadows, which a search returns one by one.
    const seen = new Set<string>();
    let token: string | undefined;
    do {
      const page = await next(token);
      for (const thing of page.things) {
        if (seen.has(thing)) continue;
        seen.add(thing);
        await printNext(
          () => printable(thing),
          () => ({ thing }),
        );
      }
      token = page.token;
    } while (token !== undefined);
  });
}

function addAdd(group: Command, { io, printDone }: CommandContext): void {
  const command = addCommand(group, "add", {
    summary: "add things to a static group",
    description: "Adds things to a static group. Things that are already in it stay.",
    examples: ["npx tablekeep shadow group add kitchen lamp fan"],
  })
    .argument("<group>", "name of the group")
    .argument("<things...>", "names of things");
  addShadowStoreOptions(command).action(async (name: string, things: string[], flags: ShadowStoreFlags) => {
    await using found = await findShadows(flags, io);
    const added = await ofGroup(name, found.manager.groups.add(name, things, { signal: io.signal }));
    printDone(`Added ${added.length} to group ${name}.`, { name, things: added });
  });
}

function addRemove(group: Command, { io, printDone }: CommandContext): void {
  const command = addCommand(group, "remove", {
    summary: "remove things from a static group",
    description: "Removes things from a static group. Their shadows stay.",
    examples: ["npx tablekeep shadow group remove kitchen fan"],
  })
    .argument("<group>", "name of the group")
    .argument("<things...>", "names of things");
  addShadowStoreOptions(command).action(async (name: string, things: string[], flags: ShadowStoreFlags) => {
    await using found = await findShadows(flags, io);
    const removed = await ofGroup(name, found.manager.groups.remove(name, things, { signal: io.signal }));
    if (removed.length === 0) throw notInGroup(name);
    printDone(`Removed ${removed.length} from group ${name}.`, { name, things: removed });
  });
}

function addDelete(group: Command, { io, printDone }: CommandContext): void {
  const command = addCommand(group, "delete", {
    summary: "delete a group",
    description: "Deletes a group. The shadows of its things stay.",
    examples: ["npx tablekeep shadow group delete kitchen --yes"],
  }).argument("<group>", "name of the group");
  addShadowStoreOptions(addConfirmOption(command)).action(
    async (name: string, flags: ShadowStoreFlags & ConfirmFlag) => {
      await using found = await findShadows(flags, io);
      const { groups } = found.manager;
      // A confirmed delete also continues an interrupted one, whose group is no longer listed.
      if (flags.yes !== true && (await groups.get(name, { signal: io.signal })) === undefined)
        throw noGroup(name);
      await confirm(io, flags.yes, `This deletes the group ${printable(name)}.`);
      if (!(await groups.delete(name, { signal: io.signal }))) throw noGroup(name);
      printDone(`Deleted group ${name}.`, { name });
    },
  );
}

async function ofGroup<Result>(name: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw isTablekeepError(error) && error.code === "SHADOW_GROUP_NOT_FOUND" ? noGroup(name) : error;
  }
}

function noGroup(name: string): CliError {
  return new CliError(
    "CLI_NO_GROUP",
    `no such group: ${JSON.stringify(name)}; "tablekeep shadow group list" lists the groups`,
  );
}

function notInGroup(name: string): CliError {
  const shown = JSON.stringify(name);
  return new CliError(
    "CLI_NOT_IN_GROUP",
    `none of these things is in group ${shown}; "tablekeep shadow group things" lists its things`,
  );
}

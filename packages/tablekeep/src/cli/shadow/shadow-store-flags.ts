import type { ShadowManager, ShadowModel, ShadowPolicy } from "@tablekeep/shadow";
import { type Command, Option } from "commander";
import type { CommandIo } from "../command-context.ts";
import { openStore } from "../tables/open-store.ts";
import { addStoreOptions, type StoreOptions } from "../tables/store-options.ts";

/** Which shadows a command works on, and where they are. */
export interface ShadowStoreFlags extends StoreOptions {
  readonly table: string;
  readonly model: ShadowModel;
  readonly policy: ShadowPolicy;
}

/** Which shadow of a thing a command means. */
export interface ShadowNameFlags extends ShadowStoreFlags {
  readonly name: string;
}

/** Adds the options that say where shadows are. */
export function addShadowStoreOptions(command: Command): Command {
  command
    .option("--table <name>", "the table of the shadows", "device-shadows")
    .addOption(
      new Option("--model <name>", "how halves are stored")
        .choices(["combined", "separate"])
        .default("combined"),
    )
    .addOption(
      new Option("--policy <name>", "who decides: as AWS IoT, or as godeviceshadow")
        .choices(["aws", "acknowledge"])
        .default("aws"),
    );
  return addStoreOptions(command);
}

/** Adds the option that names one of a thing's shadows. */
export function addShadowNameOption(command: Command): Command {
  return command.addOption(
    new Option("--name <name>", "the name of the shadow").default("", "the classic one, which has none"),
  );
}

/** Shadows, and the tables that they are in. */
export interface FoundShadows extends AsyncDisposable {
  readonly manager: ShadowManager;
}

/** Opens shadows. With `make`, their folder and table are made where they are missing; on AWS never. */
export async function findShadows(
  flags: ShadowStoreFlags,
  io: CommandIo,
  { make = false }: { readonly make?: boolean } = {},
): Promise<FoundShadows> {
  const { openShadowManager, shadowTableSpec } = await import("@tablekeep/shadow");
  const { ensureTable } = await import("@tablekeep/client");
  const { table, model, policy } = flags;
  const port = await openStore(flags, io, { makeFolder: make });
  try {
    if (make && flags.region === undefined) await ensureTable(port, shadowTableSpec(table));
    const manager = openShadowManager(port, { table, model }, { policy });
    return { manager, [Symbol.asyncDispose]: () => port.close() };
  } catch (error) {
    await port.close();
    throw error;
  }
}

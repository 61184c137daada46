import type { DynamoPort } from "@tablekeep/core";
import type {
  FoundShadow,
  ShadowManager,
  ShadowModel,
  ShadowPolicy,
  ShadowRollouts,
  ShadowsOptions,
} from "@tablekeep/shadow";
import { type Command, Option } from "commander";
import { viewJson } from "../../json/shadow-json.ts";
import type { UnservedRecorder } from "../../server/shadow/unserved-changes.ts";
import type { CommandContext, CommandIo } from "../frame/command-context.ts";
import {
  addStoreOptions,
  type CreateOption,
  hasTable,
  type OpenStore,
  openStore,
  provideTable,
  type StoreOptions,
} from "../store/open-store.ts";

/** The shadows that a command works on, and their location. */
export interface ShadowStoreFlags extends StoreOptions, CreateOption {
  readonly table?: string;
  readonly model?: ShadowModel;
  readonly policy?: ShadowPolicy;
}

/** The shadow of a thing that a command works on. */
export interface ShadowNameFlags extends ShadowStoreFlags {
  readonly name: string;
}

/** Adds the options for the location of shadows. */
export function addShadowStoreOptions(command: Command): Command {
  command
    .optionsGroup("Which shadow store:")
    .option("--table <name>", "shadow table (default: from the settings, or device-shadows)")
    .addOption(
      new Option(
        "--model <name>",
        "whether desired and reported share an item (default: from the settings, or combined)",
      ).choices(["combined", "separate"]),
    )
    .addOption(
      new Option(
        "--policy <name>",
        "rules of AWS IoT or of godeviceshadow (default: from the settings, or aws)",
      ).choices(["aws", "acknowledge"]),
    );
  return addStoreOptions(command);
}

/** Adds the option that names one of a thing's shadows. */
export function addShadowNameOption(command: Command): Command {
  return command.addOption(
    new Option("--name <name>", "name of the shadow").default("", "the unnamed classic shadow"),
  );
}

/** Shadows, and their tables. */
export interface FoundShadows extends AsyncDisposable {
  readonly port: DynamoPort;
  readonly table: string;
  /** The options of the store. */
  readonly store: ShadowsOptions;
  readonly manager: ShadowManager;
  readonly rollouts: ShadowRollouts;
  /** Whether nothing else can change the shadows meanwhile. */
  readonly isExclusive: boolean;
}

/** Opens shadows as the server does. With `canCreate`, `--create` creates their folder and table. */
export async function findShadows(
  flags: ShadowStoreFlags,
  io: CommandIo,
  { canCreate = false }: { readonly canCreate?: boolean } = {},
): Promise<FoundShadows> {
  const { openRollouts, openShadowManager, shadowHistoryTableSpec, shadowTableSpec } = await import(
    "@tablekeep/shadow"
  );
  const opened = await openStore(flags, io, { canCreate });
  const { port, config, isExclusive, watch } = opened;
  try {
    const configured = config.stores.shadows ?? [];
    const chosen = configured.find(
      ({ store }) => flags.table === undefined || flags.table === shadowTableSpec(store?.table).name,
    );
    const store = {
      ...chosen?.store,
      ...(flags.table !== undefined && { table: flags.table }),
      ...(flags.model !== undefined && { model: flags.model }),
    };
    await provideTable(opened, shadowTableSpec(store.table), flags.create === true, canCreate);
    // Where a server keeps a history, commands add to it; only the server removes old versions.
    const { name: historyTable } = shadowHistoryTableSpec(store.table, store.history);
    const hasHistory = store.model !== "separate" && (await hasTable(opened, historyTable));
    const keep = { keep: Number.MAX_SAFE_INTEGER, ...store.history };
    const withHistory = { ...store, history: hasHistory ? keep : undefined };
    const policy = flags.policy ?? chosen?.manager?.policy;
    const manager = openShadowManager(port, withHistory, { ...chosen?.manager, ...(policy && { policy }) });
    const rollouts = openRollouts(port, manager, withHistory);
    const { name: table } = shadowTableSpec(store.table);
    const found = { port, table, store: withHistory, manager, rollouts, isExclusive };
    // Only the first store has MQTT subscribers.
    const isFirst = table === shadowTableSpec(configured[0]?.store?.table).name;
    const recorder = watch && isFirst ? await recordChanges({ port, table, watch }, config, io) : undefined;
    const close = async () => {
      await recorder?.close();
      await port.close();
    };
    return { ...found, [Symbol.asyncDispose]: close };
  } catch (error) {
    await port.close();
    throw error;
  }
}

/** Stores the changes that a command makes while no server runs: the next server announces them to MQTT sessions. */
async function recordChanges(
  { port, table, watch }: Pick<FoundShadows, "port" | "table"> & Required<Pick<OpenStore, "watch">>,
  { settings }: OpenStore["config"],
  { stderr }: CommandIo,
): Promise<UnservedRecorder> {
  const { UnservedRecorder: Recorder, folderBroker } = await import(
    "../../server/shadow/unserved-changes.ts"
  );
  const { systemClock } = await import("@tablekeep/core");
  const broker = settings.mqttName ?? folderBroker;
  return new Recorder({ port, table, broker, clock: systemClock }, watch, (error) => {
    const reason = error instanceof Error ? error.message : String(error);
    stderr.write(`warning: a change will not be announced to MQTT sessions: ${reason}\n`);
  });
}

/** Prints a shadow as one line of JSON, even without `--json`: its numbers are exact, however large. */
export function printView(view: FoundShadow, { io }: CommandContext): void {
  io.stdout.write(`${viewJson(view)}\n`);
}

/** A shadow in a message: `shadow of "lamp"`, or `shadow "config" of "lamp"`. */
export function describeShadow({ id, name = "" }: { readonly id: string; readonly name?: string }): string {
  return `shadow ${name === "" ? "" : `${JSON.stringify(name)} `}of ${JSON.stringify(id)}`;
}

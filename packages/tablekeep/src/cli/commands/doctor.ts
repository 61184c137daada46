import { resolve } from "node:path";
import type { Command } from "commander";
import type { ResolvedServerOptions } from "../../server/options/server-options.ts";
import { checkClock } from "../doctor/check-clock.ts";
import { checkFeeds } from "../doctor/check-feeds.ts";
import { checkFolder, checkOwner } from "../doctor/check-folder.ts";
import { checkJournals } from "../doctor/check-journals.ts";
import { checkPorts, placesOf } from "../doctor/check-ports.ts";
import { checkStores } from "../doctor/check-stores.ts";
import { checkTables } from "../doctor/check-tables.ts";
import { type DoctorFinding, findingOf } from "../doctor/doctor-finding.ts";
import { addCommand } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import { type CommandContext, type CommandIo, printable } from "../frame/command-context.ts";
import { counted } from "../frame/progress.ts";
import { addServeOptions, readServeConfig, type ServeConfig } from "../settings/serve-config.ts";
import { type FolderStatus, readFolderStatus } from "../store/folder-status.ts";
import { openConfigured } from "../store/open-store.ts";
import { serverOptionsOf } from "./server-options-of.ts";

/** The number of events of each journal that are verified. `journal verify` reads all. */
const verifiedEvents = 10_000;

/** `tablekeep doctor` */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  const command = addCommand(program, "doctor", {
    summary: "check settings, folder, ports, tables and stores",
    description:
      "Checks what `serve` with the same options needs, and what is stored, and prints one line for each check. Changes no data; a folder of an older format is upgraded, as by every command that opens it. Exits with 9 if something is wrong.",
    examples: [
      "npx tablekeep doctor",
      "npx tablekeep doctor --data ./my-data --http-port 8026",
      "npx tablekeep doctor --config ./tablekeep.json --json",
    ],
  });
  addServeOptions(command).action(() => doctor(command, context));
}

async function doctor(command: Command, { io, print, printNext }: CommandContext): Promise<void> {
  const counts = { ok: 0, note: 0, wrong: 0 };
  for await (const finding of examine(command, io)) {
    const { status, check, message } = finding;
    counts[status]++;
    await printNext(
      () => printable(`${status.padEnd(7)}${check}: ${message}`),
      () => finding,
    );
  }
  const { ok, note, wrong } = counts;
  print(`${counted(ok + note + wrong, "check")}: ${ok} ok, ${counted(note, "note")}, ${wrong} wrong.`, {
    summary: counts,
  });
  if (wrong === 0) return;
  throw new CliError(
    "CLI_DOCTOR_FINDINGS",
    `${counted(wrong, "problem")} found: the lines above say what to do`,
  );
}

/** All checks, in an order in which each can rely on the ones before. */
async function* examine(command: Command, io: CommandIo): AsyncGenerator<DoctorFinding> {
  let config: ServeConfig;
  let options: ResolvedServerOptions;
  try {
    config = await readServeConfig(command, io);
    const { resolveServerOptions } = await import("../../server/options/server-options.ts");
    options = resolveServerOptions({ ...(await serverOptionsOf(config)), dataFolder: config.settings.data });
  } catch (error) {
    yield findingOf("settings", error);
    return;
  }
  yield {
    check: "settings",
    status: "ok",
    reason: "settings-valid",
    message: `valid (${config.file ?? "no file"})`,
  };
  const { memory, region, endpoint, data } = config.settings;
  if (memory || region !== undefined || endpoint !== undefined) {
    yield* await checkPorts(placesOf(options, memory), []);
    if (endpoint !== undefined) {
      const clock = await checkClock(endpoint, io.signal);
      yield clock;
      if (clock.status === "wrong") return;
    }
    if (!memory) yield* checkStored(config, options, io, config.settings.createTables);
    return;
  }
  const folder = resolve(data);
  const ofFolder = checkFolder(folder);
  yield* ofFolder;
  const isUsable = !ofFolder.some(({ check, status }) => check === "folder" && status === "wrong");
  let status: FolderStatus | undefined;
  try {
    status = isUsable ? await readFolderStatus(folder, io) : undefined;
    if (status !== undefined) yield checkOwner(status);
  } catch (error) {
    yield findingOf("owner", error);
  }
  yield* await checkPorts(placesOf(options, true), status?.owner?.listeners ?? []);
  const isReachable =
    status?.state === "free" || (status?.state === "served" && status.owner?.answers !== false);
  if (isReachable) yield* checkStored(config, options, io, true);
}

/** Checks the tables, and the data of the stores in them. */
async function* checkStored(
  config: ServeConfig,
  options: ResolvedServerOptions,
  io: CommandIo,
  creates: boolean,
): AsyncGenerator<DoctorFinding> {
  const { servedTables } = await import("../../server/backend/open-backend.ts");
  try {
    await using store = await openConfigured(config, io);
    const ofTables = await checkTables(store, servedTables(options), { creates, signal: io.signal });
    yield* ofTables;
    const wrong = new Set(ofTables.filter(({ status }) => status === "wrong").map(({ check }) => check));
    const ofJournals = await checkJournals(store, options.journals, io, verifiedEvents);
    yield* ofJournals;
    if (!ofJournals.some(({ status }) => status === "wrong"))
      yield* await checkFeeds(store, options.journals, io, options.feed);
    yield* await checkStores(store, options, io, (table) => !wrong.has(`table ${table}`));
  } catch (error) {
    yield findingOf("data", error);
  }
}

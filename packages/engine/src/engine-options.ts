import { type Clock, type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions, optionInvalid } from "./engine-error.ts";
import { checkBehavior, type EngineBehavior } from "./simulation/behavior-options.ts";
import type { StorageChoice } from "./storage/open-storage.ts";

/** The options of {@link openEngine}. */
export interface EngineOptions {
  /** Memory, or a folder. */
  readonly storage: StorageChoice;
  /** The clock for expiry and request tokens. @default the system's */
  readonly clock?: Clock;
  /** The region in the ARNs of new tables. ARNs of any region are accepted. @default "us-east-1" */
  readonly region?: string;
  /** The account in the ARNs of new tables, twelve digits. ARNs of any account are accepted. @default "000000000000" */
  readonly accountId?: string;
  /** Simulates how DynamoDB behaves under load and over distance, for tests. @default none of it */
  readonly behavior?: EngineBehavior;
}

type FolderChoice = Extract<StorageChoice, { kind: "folder" }>;

const folderChecks: OptionChecks<FolderChoice> = {
  kind: optionCheck.oneOf("folder"),
  path: optionCheck.nonEmptyString,
  durable: optionCheck.boolean,
};
const memoryChecks: OptionChecks<{ kind: "memory" }> = { kind: optionCheck.oneOf("memory", "folder") };

const optionChecks: OptionChecks<EngineOptions> = {
  storage: (value) => {
    const isFolder = (value as { kind?: unknown } | null)?.kind === "folder";
    checkOptions(value, isFolder ? folderChecks : memoryChecks, "storage");
    return undefined;
  },
  clock: optionCheck.clock,
  region: optionCheck.nonEmptyString,
  accountId: (value) =>
    typeof value === "string" && /^[0-9]{12}$/.test(value) ? undefined : "must be a string of twelve digits",
  behavior: (value) => {
    checkBehavior(value);
    return undefined;
  },
};

/** The names of all options, as listed in `docs/reference/engine.md`. */
export const engineOptionNames: readonly string[] = Object.keys(optionChecks);

/** Throws `ENGINE_OPTION_INVALID` for the first unknown or invalid option. */
export function checkEngineOptions(options: EngineOptions): void {
  checkOptions(options, optionChecks);
  const { storage } = options as Partial<EngineOptions>;
  if (storage?.kind === undefined)
    throw optionInvalid("storage", 'must be { kind: "memory" } or { kind: "folder", path }');
  if (storage.kind === "folder" && storage.path === undefined) {
    throw optionInvalid("storage.path", "is required: the folder for the data");
  }
}

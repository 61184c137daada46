import { buildPort, type Dispatch, type DynamoPort, type OutputOf } from "@tablekeep/core";
import { type Answer, answerObject } from "./answer/answer.ts";
import type { TableListener } from "./change/table-watchers.ts";
import { type Checkpoint, Checkpoints } from "./checkpoints.ts";
import { checkEngineOptions, type EngineOptions } from "./engine-options.ts";
import { closeDatabase, databaseOn } from "./open-database.ts";
import { isLarge, mayChange } from "./operations/operation-traits.ts";
import { answerRequest } from "./request/answer-request.ts";
import { CallsUnderWay, InTurn } from "./request/calls-in-flight.ts";
import { takenInput } from "./request/copy-input.ts";
import { isBounded, untilOver } from "./request/with-deadline.ts";
import { openStorage } from "./storage/open-storage.ts";
import type { FolderAccess, Storage } from "./storage/storage.ts";

/** An embedded DynamoDB: a port that answers by itself. */
export interface Engine extends DynamoPort {
  /** Carries out any operation by its name on the wire; the answer can still become JSON or objects. */
  execute(operation: string, input: unknown): Promise<Answer>;
  /**
   * Tells other processes, through the folder, where this engine is served; undefined once it no longer is. `access` is a
   * private endpoint for programs of the same user. Does nothing in memory.
   */
  announce(endpoint: string | undefined, access?: FolderAccess): void;
  /**
   * Reports every change of a table from now on, whichever way it is made: all that one request changed, in the order of the
   * commits, before the caller of the request hears of it. Returns the function that ends it.
   */
  watch(table: string, listener: TableListener): () => void;
  /** Remembers all tables and items as they are, without copying them. */
  checkpoint(): Promise<Checkpoint>;
  /** Goes back to a checkpoint of this engine, again and in any order. What is under way is waited for first. */
  restore(checkpoint: Checkpoint): Promise<void>;
}

/**
 * Opens an engine in memory or on a folder. A folder has one owner: if another process has it open, this rejects with
 * `ENGINE_FOLDER_LOCKED`, which names that process and the endpoint at which it serves.
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  checkEngineOptions(options);
  const storage = await openStorage(options.storage);
  try {
    return openEngineOn(storage, options);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** An engine on a storage of the caller's making. For tests of what becomes of a failing one. */
export function openEngineOn(storage: Storage, options: Omit<EngineOptions, "storage"> = {}): Engine {
  const database = databaseOn(storage, options);
  const checkpoints = new Checkpoints(database, storage);
  const calls = new CallsUnderWay();
  let closing: Promise<void> | undefined;
  database.background.start();

  const largeReads = new InTurn();
  const execute = (operation: string, input: unknown) =>
    calls.run(() => answerRequest(database, operation, input));
  const dispatch: Dispatch = (operation, input, callOptions) => {
    const large = isLarge(operation, input);
    const taken = large ? takenInput(input) : input;
    const work = async () => answerObject(await answerRequest(database, operation, taken));
    const run = () => calls.run(large ? () => largeReads.run(work) : work);
    const answer = isBounded(callOptions)
      ? untilOver(database.clock, mayChange(operation, input), callOptions, run)
      : run();
    return answer as Promise<OutputOf<typeof operation>>;
  };
  async function close(): Promise<void> {
    closing ??= calls.close().then(() => closeDatabase(database));
    return closing;
  }
  return {
    ...buildPort(dispatch, close),
    atomicBatches: database.service.atomicBatches,
    execute,
    announce(endpoint, access) {
      if (closing === undefined) storage.announce?.(endpoint, access);
    },
    watch: (table, listener) => database.watchers.add(table, listener),
    checkpoint: () => calls.run(() => checkpoints.take()),
    restore: (checkpoint) => calls.run(() => checkpoints.restore(checkpoint)),
  };
}

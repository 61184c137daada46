import {
  buildPort,
  CallsInFlight,
  type Dispatch,
  type DynamoPort,
  mayWrite,
  type OperationName,
  type OutputOf,
  operationTraits,
} from "@tablekeep/core";
import { type Answer, answerObject } from "./answer/answer.ts";
import type { TableUse } from "./catalog/table-use.ts";
import type { StreamListener } from "./change/stream-watchers.ts";
import type { TableListener } from "./change/table-watchers.ts";
import { type Checkpoint, Checkpoints } from "./checkpoints.ts";
import { EngineError } from "./engine-error.ts";
import { checkEngineOptions, type EngineOptions } from "./engine-options.ts";
import { closeDatabase, openDatabase } from "./open-database.ts";
import { answerRequest } from "./request/answer-request.ts";
import { isBounded, withCallDeadline } from "./request/call-deadline.ts";
import { copyInput } from "./request/copy-input.ts";
import { openingError } from "./storage/folder-files.ts";
import { openStorage } from "./storage/open-storage.ts";
import type { FolderAccess, FolderListener, Storage } from "./storage/storage.ts";

/** An embedded DynamoDB: a port without a network. */
export interface Engine extends DynamoPort {
  /**
   * Carries out any operation by its name in DynamoDB's protocol. The answer can become JSON or objects.
   *
   * @example
   * const json = answerJson(await engine.execute("ListTables", {}));
   */
  execute(operation: string, input: unknown): Promise<Answer>;
  /**
   * Publishes, through the folder, where this engine is served; undefined once it no longer is. `access` is a private
   * endpoint for programs of the same user, `listeners` are the addresses that users see. Does nothing in memory.
   *
   * @example
   * engine.announce("http://127.0.0.1:8000");
   */
  announce(endpoint: string | undefined, access?: FolderAccess, listeners?: readonly FolderListener[]): void;
  /**
   * Reports every change to a table from now on, however it is made: all that one request changed, in commit order,
   * before the request's caller is notified. Returns a function that stops it.
   *
   * @example
   * const stop = engine.watch("orders", (changes) => console.log(changes.length, "items changed"));
   */
  watch(table: string, listener: TableListener): () => void;
  /**
   * Returns the use of each table since the engine was opened, however it was used: requests, failures, and the
   * capacity units that DynamoDB would report.
   *
   * @example
   * const { readUnits, writeUnits } = engine.use()["orders"] ?? {};
   */
  use(): Readonly<Record<string, TableUse>>;
  /**
   * Remembers all tables and items in their current state, without copying them.
   *
   * @example
   * const seeded = await engine.checkpoint();
   */
  checkpoint(): Promise<Checkpoint>;
  /**
   * Returns to a checkpoint of this engine; checkpoints can be restored repeatedly and in any order. Waits for calls
   * in flight first.
   *
   * @example
   * afterEach(() => engine.restore(seeded));
   */
  restore(checkpoint: Checkpoint): Promise<void>;
}

/**
 * Opens an engine in memory or on a folder. A folder has one owner: if another process has it open, this rejects with
 * `ENGINE_FOLDER_LOCKED`, which names that process and the endpoint at which it serves.
 *
 * @example
 * await using engine = await openEngine({ storage: { kind: "folder", path: "./data" } });
 * await engine.putItem({ TableName: "t", Item: { pk: { S: "a" } } });
 */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  checkEngineOptions(options);
  const storage = await openStorage(options.storage);
  try {
    return openEngineOn(storage, options);
  } catch (error) {
    await storage.close();
    throw storage.path === undefined ? error : openingError(error, storage.path);
  }
}

/** Opens an engine on a given storage, for tests of failing ones. */
export function openEngineOn(storage: Storage, options: Omit<EngineOptions, "storage"> = {}): Engine {
  const database = openDatabase(storage, options);
  const checkpoints = new Checkpoints(database, storage);
  const calls = new CallsInFlight(
    () => new EngineError("ENGINE_CLOSED", "the engine is closed: open it again", {}),
  );
  let closing: Promise<void> | undefined;
  database.background.start();

  const largeReads = new SequentialRunner();
  const execute = (operation: string, input: unknown) =>
    calls.run(() => answerRequest(database, operation, input));
  const dispatch: Dispatch = (operation, input, callOptions) => {
    const large = isLargeRead(operation, input);
    const writes = mayWrite(operation, input);
    const request = large ? copyInput(input) : input;
    const work = async () => answerObject(await answerRequest(database, operation, request));
    const run = () => calls.run(large ? () => largeReads.run(work) : work);
    // Other reads finish in this turn of the event loop, before any deadline.
    const mayWait = large || writes || options.behavior !== undefined || callOptions.signal?.aborted === true;
    const answer =
      mayWait && isBounded(callOptions) ? withCallDeadline(database.clock, writes, callOptions, run) : run();
    return answer as Promise<OutputOf<typeof operation>>;
  };
  async function close(): Promise<void> {
    closing ??= calls.close().then(() => closeDatabase(database));
    return closing;
  }
  return {
    ...buildPort(dispatch, close),
    atomicBatches: database.service.atomicBatches,
    // Streams with a simulated behavior show changes later, and in another order.
    ...(options.behavior === undefined && {
      watchStream: (arn: string, listener: StreamListener, restored?: () => void) =>
        database.streamWatchers.add(database.streams.get(arn), listener, restored),
    }),
    execute,
    announce(endpoint, access, listeners) {
      if (closing === undefined) storage.announce?.(endpoint, access, listeners);
    },
    watch: (table, listener) => database.watchers.add(table, listener),
    use: () => Object.fromEntries(database.catalog.all().map(({ name, use }) => [name, { ...use }])),
    checkpoint: () => calls.run(() => checkpoints.take()),
    restore: (checkpoint) => calls.run(() => checkpoints.restore(checkpoint)),
  };
}

/** Returns whether the response may be large. A PartiQL statement that writes is not: its commit is shared with others. */
function isLargeRead(operation: OperationName, input: unknown): boolean {
  if (operation === "ExecuteStatement") return !mayWrite(operation, input);
  return operationTraits[operation].largeRead === true;
}

/**
 * Runs one job at a time. For reads with large answers: each caller has used its answer before the next one is made.
 * If all were made at once they would be in memory together, and the garbage collector would take more time than the
 * engine.
 */
class SequentialRunner {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.then(ignore, ignore);
    return result;
  }
}

function ignore(): void {}

import {
  buildPort,
  type CallOptions,
  DynamoError,
  type DynamoPort,
  isDynamoError,
  type OperationName,
  type OutputOf,
  systemClock,
} from "@tablekeep/core";
import { type Answer, answerObject } from "./answer/answer.ts";
import { Catalog } from "./catalog/catalog.ts";
import type { Database } from "./database.ts";
import { EngineError } from "./engine-error.ts";
import type { EngineOptions } from "./engine-options.ts";
import { operations } from "./operations/operations.ts";
import { FolderStorage } from "./storage/folder-storage.ts";
import { MemoryStorage } from "./storage/memory-storage.ts";
import type { Storage } from "./storage/storage.ts";
import { checkShape } from "./validation/check-shape.ts";
import { itemShapes } from "./validation/item-shapes.ts";
import { tableShapes } from "./validation/table-shapes.ts";
import { surelyNotApplied, WriteQueue } from "./write/write-queue.ts";

/** An embedded DynamoDB: a port that answers by itself. */
export interface Engine extends DynamoPort {
  /** Carries out any operation by its name on the wire; the answer can still become JSON or objects. */
  execute(operation: string, input: unknown): Promise<Answer>;
}

/** Opens an engine in memory or on a folder. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const storage = openStorage(options);
  const database: Database = {
    storage,
    catalog: Catalog.load(storage),
    writes: new WriteQueue(storage, faultError, storage instanceof MemoryStorage),
    clock: options.clock ?? systemClock,
    region: options.region ?? "us-east-1",
    accountId: options.accountId ?? "000000000000",
  };
  let closing: Promise<void> | undefined;

  async function execute(operation: string, input: unknown): Promise<Answer> {
    if (closing !== undefined)
      throw new EngineError("ENGINE_CLOSED", "the engine is closed: open it again", {});
    return answer(database, operation, input);
  }
  async function dispatch<Name extends OperationName>(
    operation: Name,
    input: unknown,
    { signal }: CallOptions,
  ): Promise<OutputOf<Name>> {
    if (signal?.aborted) {
      throw new EngineError("ENGINE_ABORTED", "the caller aborted the call", {}, { cause: signal.reason });
    }
    return answerObject(await execute(operation, input)) as OutputOf<Name>;
  }
  async function close(): Promise<void> {
    closing ??= database.writes.drain().then(() => storage.close());
    return closing;
  }
  return { ...buildPort(dispatch, close), execute };
}

const shapes = { ...itemShapes, ...tableShapes };

async function answer(database: Database, operation: string, input: unknown): Promise<Answer> {
  const run = Object.hasOwn(operations, operation) ? operations[operation as OperationName] : undefined;
  if (run === undefined) {
    throw new DynamoError({
      exception: "UnknownOperationException",
      serviceMessage: `unknown operation ${operation}`,
    });
  }
  try {
    checkShape(shapes[operation] ?? {}, input);
    return await run(database, input as never);
  } catch (error) {
    throw isDynamoError(error) ? located(error, operation as OperationName, input) : error;
  }
}

/** The same refusal, naming the operation and the table. */
function located(error: DynamoError, operation: OperationName, input: unknown): DynamoError {
  const table = (input as { TableName?: unknown }).TableName;
  return new DynamoError({
    ...error.details,
    operation,
    ...(typeof table === "string" && { table }),
    ambiguous: error.ambiguous,
    cause: error.cause,
  });
}

function openStorage({ storage }: EngineOptions): Storage {
  if (storage.kind === "memory") return new MemoryStorage();
  return new FolderStorage(storage.path, { durable: storage.durable ?? true });
}

function faultError(fault: unknown): Error {
  if (surelyNotApplied(fault)) {
    return new EngineError(
      "ENGINE_DISK_FULL",
      "the disk is full: make room, and write again",
      {},
      { cause: fault },
    );
  }
  return new EngineError(
    "ENGINE_DISK_FAILED",
    "the disk reported an error: check it, then read before you write again",
    {},
    { cause: fault, ambiguous: true },
  );
}

import { parentPort, workerData } from "node:worker_threads";
import { type DynamoPort, isDynamoError } from "@tablekeep/core";
import { type AnyEntity, openEntities } from "@tablekeep/entity";
import {
  type Journal,
  openJournalReader,
  openSnapshots,
  type Snapshots,
  snapshotTableSpec,
} from "@tablekeep/journal";
import { jsonValue } from "../json/journal-json.ts";
import {
  errorParts,
  type FoldedState,
  type FoldRequest,
  type FromThread,
  type ThreadAnswer,
  type ToThread,
} from "../server/entity-folds/fold-messages.ts";
import { ServerError } from "../server/server-error.ts";
import { messagePort, withLentRetries } from "./message-port.ts";
import { definitionsIn, registeredEntity } from "./registered-entities.ts";

/**
 * The thread in which states of entities are rebuilt: by the code of the entity package, from tables that it reads through the thread of
 * the server. It is bundled into one file.
 */

const parent = parentPort;
if (parent === null) throw new Error("this program runs in a thread of the server");
const send = (message: FromThread) => parent.postMessage(message);
const tables = messagePort(send);
let definitions: readonly AnyEntity[] = [];

parent.on("message", (message: ToThread) => {
  if (message.kind !== "fold") return tables.answer(message);
  const { port, tokensLeft } = withLentRetries(tables.port, message.retries);
  fold(port, message.request).then(
    (folded) => send({ kind: "folded", folded, tokensLeft: tokensLeft() }),
    (error: unknown) => send({ kind: "failed", error: errorParts(error), tokensLeft: tokensLeft() }),
  );
});
send(await load((workerData as { readonly module: string }).module));

async function load(module: string): Promise<ThreadAnswer> {
  try {
    definitions = definitionsIn((await import(module)) as object);
  } catch (error) {
    return { kind: "invalid", reason: error instanceof Error ? error.message : String(error) };
  }
  const types = definitions.map(({ type }) => type);
  if (types.length === 0) return { kind: "invalid", reason: "it must export a definition of defineEntity" };
  const twice = types.find((type, at) => types.indexOf(type) !== at);
  return twice === undefined
    ? { kind: "ready", types }
    : { kind: "invalid", reason: `it exports two definitions of type ${twice}` };
}

async function fold(port: DynamoPort, request: FoldRequest): Promise<FoldedState | undefined> {
  const { persistenceId, sequenceNr: toSequenceNr } = request;
  const found = registeredEntity(definitions, persistenceId);
  if (found === undefined) return undefined;
  const { definition, id } = found;
  const journal = await openToRead(port, request.journal);
  const snapshots = await snapshotsOf(port, journal, request);
  await using host = await openEntities({ journal, snapshots, entities: [definition] });
  const { state, sequenceNr } = await host.of(definition).read(id, { toSequenceNr });
  return { entity: definition.type, id, sequenceNr, state: stateJson(state) };
}

/**
 * Opens a journal as a host of entities needs it, without writing its record: a table of an Akka plugin has none. Reading a state calls
 * nothing that writes.
 */
async function openToRead(port: DynamoPort, options: FoldRequest["journal"]): Promise<Journal> {
  const reject = () => Promise.reject(new Error("states are rebuilt from a journal that is only read"));
  const ended = () => Promise.resolve();
  // The same object, because the journal's functions recognize the one that was opened.
  return Object.assign(await openJournalReader(port, options), {
    fencing: "optimistic" as const,
    recover: reject,
    load: reject,
    append: reject,
    deleteTo: reject,
    purge: reject,
    idle: ended,
    close: ended,
    [Symbol.asyncDispose]: ended,
  });
}

/** The snapshots of a journal; undefined if they have a table and it is missing. */
async function snapshotsOf(
  port: DynamoPort,
  journal: Journal,
  { snapshotTable }: FoldRequest,
): Promise<Snapshots | undefined> {
  const isBeside = journal.layout === "packed" && snapshotTable === undefined;
  if (!isBeside && !(await exists(port, snapshotTableSpec(snapshotTable).name))) return undefined;
  return openSnapshots(port, { journal, table: snapshotTable });
}

async function exists(port: DynamoPort, table: string): Promise<boolean> {
  try {
    await port.describeTable({ TableName: table });
    return true;
  } catch (error) {
    if (isDynamoError(error, "ResourceNotFoundException")) return false;
    throw error;
  }
}

/** Maximum length of a state in JSON, in characters. */
const maxStateCharacters = 5_000_000;

/** Returns a state in JSON, as payloads are shown: 64-bit integers are strings of digits, bytes are base64. Throws if it is too large. */
function stateJson(state: unknown): string {
  const text = JSON.stringify(jsonValue(plain(state)));
  if (text.length <= maxStateCharacters) return text;
  const reason = "it is larger than 5 MB";
  throw new ServerError("SERVER_FOLD_STOPPED", `the state cannot be shown: ${reason}`, {
    problem: "too-large",
    reason,
  });
}

/** Maps, sets and objects with `toJSON`, such as dates, become plain data. Deeper than a snapshot can be, nothing is changed. */
function plain(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || depth > 200) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return value.toJSON();
  if (value instanceof Map) return plain(Object.fromEntries(value), depth + 1);
  if (value instanceof Set) return plain([...value], depth + 1);
  if (Array.isArray(value)) return value.map((member) => plain(member, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member, depth + 1)]));
}

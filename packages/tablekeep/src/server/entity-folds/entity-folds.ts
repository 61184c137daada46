import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { JournalOptions } from "@tablekeep/journal";
import { ServerError } from "../server-error.ts";
import type { FoldedState, FoldRequest } from "./fold-messages.ts";
import { type FoldThreadOptions, startFoldThread } from "./start-fold-thread.ts";

/** States that may wait for the thread. Further ones are rejected. */
const maxWaiting = 32;

export interface EntityFoldsOptions extends Omit<FoldThreadOptions, "module"> {
  /** The file that exports the definitions. */
  readonly path: string;
}

/** The requested state. */
export interface WantedState extends Omit<FoldRequest, "journal"> {
  readonly journal: JournalOptions;
}

/** States of entities by their own definitions. */
export interface EntityFolds {
  /** The types of the definitions. */
  readonly types: readonly string[];
  /** Rebuilds a state. Throws `SERVER_ENTITY_UNKNOWN` if no definition has the persistence id. */
  stateOf(wanted: WantedState, signal: AbortSignal): Promise<FoldedState>;
  close(): Promise<void>;
}

/**
 * Loads a module of entity definitions. States are rebuilt in a thread, one after the other and within limits, so that the module's code
 * can neither block the server nor end it.
 */
export async function openEntityFolds({ path, ...common }: EntityFoldsOptions): Promise<EntityFolds> {
  const options: FoldThreadOptions = { ...common, module: pathToFileURL(resolve(path)).href };
  let thread = await startFoldThread(options);
  const { types } = thread;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let isClosed = false;
  const rebuild = async (request: FoldRequest, signal: AbortSignal): Promise<FoldedState> => {
    if (isClosed || signal.aborted)
      throw stopped(isClosed ? "the server is stopping" : "the request was aborted");
    if (thread.isEnded) thread = await startFoldThread(options);
    if (isClosed) await thread.end();
    const folded = await thread.fold(request, signal);
    if (folded === undefined) throw unknownEntity(request.persistenceId, types);
    return folded;
  };
  return {
    types,
    stateOf(wanted, signal) {
      if (waiting >= maxWaiting)
        throw new ServerError(
          "SERVER_FOLDS_BUSY",
          `${waiting} other states are being rebuilt: try again later`,
          {
            waiting,
          },
        );
      waiting++;
      const mine = last.then(() => rebuild({ ...wanted, journal: plainOptions(wanted.journal) }, signal));
      last = mine.then(
        () => void waiting--,
        () => void waiting--,
      );
      return mine;
    },
    async close() {
      isClosed = true;
      await thread.end();
    },
  };
}

/** The error for an id that no definition has. */
export function unknownEntity(persistenceId: string, types: readonly string[]): ServerError {
  const known = types.length === 0 ? "none is registered (--entities)" : `registered are ${types.join(", ")}`;
  return new ServerError(
    "SERVER_ENTITY_UNKNOWN",
    `no entity has the persistence id ${persistenceId}: ${known}`,
    {
      persistenceId,
    },
  );
}

function stopped(reason: string): ServerError {
  return new ServerError("SERVER_FOLD_STOPPED", `the state could not be rebuilt: ${reason}`, {
    problem: "closed",
    reason,
  });
}

/** Options that belong to this process, or that are not needed for reading. */
const ownOptions: ReadonlySet<string> = new Set([
  "clock",
  "random",
  "logger",
  "compactAfter",
  "tracing",
  "logConfig",
] satisfies (keyof JournalOptions)[]);

function plainOptions(options: JournalOptions): JournalOptions {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !ownOptions.has(name)));
}

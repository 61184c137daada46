import { ApiError } from "../../api/call-api.ts";
import { counted } from "../../parts/show-values.ts";
import { createStore, type Store } from "../../shell/store.ts";
import { tellFailure, tellSuccess } from "../../shell/toasts.tsx";
import { undoChange } from "./tables-api.ts";

/** A change that was made on this page and can be undone. */
export interface TableChangeMade {
  readonly table: string;
  /** The text behind the word “Undo”; empty for an item. */
  readonly what: string;
  /** Whether the table was deleted. */
  readonly isDeletion?: true;
  /** Undoes it. Returns the number of items that were left because someone has changed them since. */
  undo(onProgress: (text: string) => void): Promise<number>;
}

/** Changes that can be undone; older ones are dropped. */
const maxChanges = 50;

/** The changes of this page that can be undone, newest last. */
export const changesMade: Store<readonly TableChangeMade[]> = createStore<readonly TableChangeMade[]>([]);

/** The progress of the running undo; empty if there is none. */
export const undoProgress: Store<string> = createStore("");

/** Remembers a change. */
export function remember(change: TableChangeMade): void {
  changesMade.set([...changesMade.get(), change].slice(-maxChanges));
}

/** An id for a change that the server keeps. */
export function newUndoId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** Remembers a change that the server keeps. */
export function rememberKept(id: string, change: Omit<TableChangeMade, "undo">): void {
  remember({
    ...change,
    async undo(onProgress) {
      let [undone, kept] = [0, 0];
      for (;;) {
        const part = await undoChange(id);
        undone += part.undone;
        kept += part.kept;
        if (part.left === 0) return kept;
        onProgress(`Undoing… ${Math.floor(((undone + kept) / (undone + kept + part.left)) * 100)} %`);
      }
    },
  });
}

/**
 * Sends a change that the server keeps to undo it, and remembers it. Without a response it may have been made, and is remembered, too.
 */
export async function makeUndoable<Answer extends { readonly undo?: string }>(
  change: Omit<TableChangeMade, "undo">,
  send: (undo: string) => Promise<Answer>,
): Promise<Answer> {
  const id = newUndoId();
  try {
    const answer = await send(id);
    if (answer.undo !== undefined) rememberKept(id, change);
    return answer;
  } catch (error) {
    if (isUnknown(error)) rememberKept(id, change);
    throw error;
  }
}

/** Whether a change may have been made although it failed. */
function isUnknown(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}

/** The next change to a table to undo. */
export function lastChange(all: readonly TableChangeMade[], table: string): TableChangeMade | undefined {
  return all.findLast((each) => each.table === table);
}

/** The next deletion of a table to undo. */
export function lastDeletion(all: readonly TableChangeMade[]): TableChangeMade | undefined {
  return all.findLast(({ isDeletion }) => isDeletion === true);
}

/** Undoes a change, except what someone has changed since. Returns whether it was undone. */
export async function undoMade(change: TableChangeMade | undefined): Promise<boolean> {
  if (change === undefined || undoProgress.get() !== "") return false;
  undoProgress.set("Undoing…");
  try {
    const kept = await change.undo((text) => undoProgress.set(text));
    forget(change);
    if (kept === 0) tellSuccess("Undone");
    else
      tellFailure(
        `Undone, except for ${counted(kept, "item")}: changed since or with more than 100 attributes, and left as ${kept === 1 ? "it is" : "they are"}`,
      );
    return true;
  } catch (error) {
    if (isFinal(error, change)) forget(change);
    tellFailure(error);
    return false;
  } finally {
    undoProgress.set("");
  }
}

/** Whether a change cannot be undone later either. The name of a deleted table may become free again. */
function isFinal(error: unknown, { isDeletion }: TableChangeMade): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 404 || (error.status === 409 && isDeletion !== true);
}

function forget(change: TableChangeMade): void {
  changesMade.set(changesMade.get().filter((each) => each !== change));
}

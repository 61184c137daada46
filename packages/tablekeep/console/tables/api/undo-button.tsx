import type { VNode } from "preact";
import { useKeys } from "../../shell/keyboard.ts";
import { useStore } from "../../shell/use-store.ts";
import { changesMade, type TableChangeMade, undoMade, undoProgress } from "./table-undo.ts";

export interface UndoButtonProps {
  /** Finds the change that is undone next. */
  readonly find: (all: readonly TableChangeMade[]) => TableChangeMade | undefined;
  readonly onUndone: () => void;
}

/** Undoes the last change made on this page, if there is one. `z` does so as well. */
export function UndoButton({ find, onUndone }: UndoButtonProps): VNode | null {
  const change = find(useStore(changesMade));
  const progress = useStore(undoProgress);
  const undo = async () => {
    if (await undoMade(find(changesMade.get()))) onUndone();
  };
  useKeys({ z: { does: "Undo the last change", run: () => void undo() } });
  if (change === undefined) return null;
  return (
    <button type="button" class="undo-button" aria-disabled={progress !== ""} onClick={() => void undo()}>
      {progress === "" ? `Undo ${change.what}`.trim() : progress}
    </button>
  );
}

import type { VNode } from "preact";
import { DiffView } from "../../json/diff-view.tsx";
import type { WireItem } from "../api/table-facts.ts";
import { plainItem } from "./plain-item.ts";
import { isPlain } from "./typed-item.ts";

export interface ItemConflictProps {
  /** The stored item; null if it was deleted. */
  readonly stored: WireItem | null;
  /** The typed item; undefined while the text is not an item. */
  readonly typed: WireItem | undefined;
  readonly isNew: boolean;
  readonly isSaving: boolean;
  readonly onStartAgain: (stored: WireItem) => void;
  readonly onSave: (typed: WireItem) => void;
}

/** Shows how the typed item differs from what somebody else has stored meanwhile, and lets the user decide. */
export function ItemConflict(props: ItemConflictProps): VNode {
  const { stored, typed, isNew, isSaving, onStartAgain, onSave } = props;
  const isShownPlain = [stored, typed].every((item) => item == null || isPlain(item));
  const shown = (item: WireItem) => (isShownPlain ? plainItem(item) : item);
  const what = isNew
    ? "An item with this key exists."
    : "Someone else changed this item while you edited it.";
  return (
    <div class="stale" role="alert">
      <p>
        {stored === null ? "Someone else deleted this item while you edited it." : what} Nothing was saved,
        and your text is kept.
      </p>
      {stored !== null && typed !== undefined && (
        <>
          <p class="dim">From what is stored now (−) to what you typed (+):</p>
          <DiffView before={shown(stored)} after={shown(typed)} label="What is stored, and what was typed" />
        </>
      )}
      <div class="actions">
        {stored !== null && (
          <button type="button" onClick={() => onStartAgain(stored)}>
            Edit what is stored
          </button>
        )}
        <button
          type="button"
          disabled={isSaving || typed === undefined}
          onClick={() => typed !== undefined && onSave(typed)}
        >
          {stored === null ? "Create it again" : "Replace what is stored"}
        </button>
      </div>
    </div>
  );
}

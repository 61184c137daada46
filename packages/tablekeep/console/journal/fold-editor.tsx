import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { defaultFold } from "./remembered-fold.ts";

export interface FoldEditorProps {
  readonly code: string;
  /** The number of snapshots of the id. */
  readonly snapshots: number;
  readonly fromSnapshot: boolean;
  readonly onFromSnapshot: (fromSnapshot: boolean) => void;
  readonly onApply: (code: string) => void;
}

/** The fold that turns events into states: shown on request, changed by typing. */
export function FoldEditor({
  code,
  snapshots,
  fromSnapshot,
  onFromSnapshot,
  onApply,
}: FoldEditorProps): VNode {
  const [typed, setTyped] = useState(code);
  const [isOpen, setIsOpen] = useState(false);
  const apply = (next: string) => {
    setTyped(next);
    onApply(next);
  };
  return (
    <form
      class="fold-editor"
      onSubmit={(event) => {
        event.preventDefault();
        apply(typed);
      }}
      onKeyDown={(event) => {
        if ((event.ctrlKey || event.metaKey) && event.key === "Enter") event.currentTarget.requestSubmit();
      }}
    >
      <div class="fold-head">
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? "Hide the fold" : "Edit the fold"}
        </button>
        <span class="dim">
          {code === defaultFold ? "States are the merged payloads." : "States come from your fold."}
        </span>
        {snapshots > 0 && (
          <label class="switch">
            <input
              type="checkbox"
              checked={fromSnapshot}
              onChange={({ currentTarget }) => onFromSnapshot(currentTarget.checked)}
            />
            Start from snapshots
          </label>
        )}
      </div>
      {isOpen && (
        <>
          <label for="fold-text">
            Fold: a JavaScript function of the state (undefined at first) and the event, with its payload,
            manifest, tags, metadata and timestamp
          </label>
          <textarea
            id="fold-text"
            rows={Math.min(16, Math.max(5, typed.split("\n").length + 1))}
            spellcheck={false}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <div class="actions">
            <span class="dim hint">
              Runs in a sandbox without network. Stored in this browser. Ctrl + Enter applies
            </span>
            <button type="button" disabled={code === defaultFold} onClick={() => apply(defaultFold)}>
              Reset
            </button>
            <button type="submit" class="primary">
              Apply
            </button>
          </div>
        </>
      )}
    </form>
  );
}

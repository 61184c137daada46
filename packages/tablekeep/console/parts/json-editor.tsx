import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useKeys } from "../shell/keyboard.ts";
import { mayDiscard, useUnsaved } from "../shell/unsaved.ts";
import "./json-editor.css";

export interface JsonEditorProps {
  readonly label: string;
  readonly text: string;
  /** What the text was when it was last saved or loaded: leaving with another text asks first. */
  readonly original: string;
  /** The problem with the text. @default none */
  readonly fault?: string;
  readonly maxRows: number;
  /** The title of the button that saves. */
  readonly action: string;
  readonly canSave: boolean;
  readonly onType: (text: string) => void;
  readonly onSave: () => void;
  readonly onClose: () => void;
  /** Shown above the text. @default nothing */
  readonly head?: ComponentChildren;
  /** Another editor for the same content, instead of the text. @default the text is edited */
  readonly editor?: ComponentChildren;
  /** Shown between the text and the buttons. @default nothing */
  readonly children?: ComponentChildren;
}

const minRows = 6;

/** Edits a JSON text. Ctrl + Enter saves, and Escape leaves. */
export function JsonEditor(props: JsonEditorProps): VNode {
  const { label, text, original, fault, maxRows, action, canSave, onType, onSave, onClose } = props;
  const box = useRef<HTMLTextAreaElement>(null);
  // Before the box is painted: after it, someone who types at once would type into a selection that then moves.
  useLayoutEffect(() => {
    // Browsers put the cursor at the end of text that a script has set, which scrolls its beginning out of view.
    box.current?.setSelectionRange(0, 0);
    box.current?.focus();
  }, []);
  const leave = async () => {
    if (text === original || (await mayDiscard())) onClose();
  };
  useUnsaved(text !== original);
  useKeys({ Escape: { does: "Stop editing", run: () => void leave() } });
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) onSave();
      }}
      onKeyDown={(event) => {
        if ((event.ctrlKey || event.metaKey) && event.key === "Enter") event.currentTarget.requestSubmit();
      }}
    >
      {props.head}
      {props.editor ?? (
        <>
          <label for="json-text">{label}</label>
          <textarea
            id="json-text"
            ref={box}
            rows={Math.min(maxRows, Math.max(minRows, text.split("\n").length + 1))}
            spellcheck={false}
            aria-invalid={fault !== undefined}
            aria-describedby="json-fault"
            value={text}
            onInput={({ currentTarget }) => onType(currentTarget.value)}
          />
        </>
      )}
      <p id="json-fault" class="fault" role="status">
        {fault !== undefined && `✗ ${fault}`}
      </p>
      {props.children}
      <div class="actions">
        <span class="dim hint">Ctrl + Enter saves</span>
        <button type="button" onClick={() => void leave()}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={!canSave}>
          {action}
        </button>
      </div>
    </form>
  );
}

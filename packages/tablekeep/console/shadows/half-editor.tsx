import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { confirmed } from "../shell/confirm.tsx";
import { useKeys } from "../shell/keys.ts";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import { parseHalf } from "./parse-half.ts";
import { sameHalf, saveHalf } from "./save-half.ts";
import type { HalfName, ShadowName, ShadowView } from "./shadow-api.ts";

export interface HalfEditorProps {
  readonly shadow: ShadowName;
  readonly half: HalfName;
  /** The shadow as it is now; it may change while one types. */
  readonly current: ShadowView;
  readonly onSaved: (view: ShadowView) => void;
  readonly onClose: () => void;
}

/** Edits the desired state, or the reported one in place of the device. Only changes made here are sent; if someone else changed the same values, the user decides. */
export function HalfEditor({ shadow, half, current, onSaved, onClose }: HalfEditorProps): VNode {
  const [base, setBase] = useState(current);
  const [text, setText] = useState(() => printed(current, half));
  const [isSaving, setIsSaving] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const typed = parseHalf(text);
  const isStale = !sameHalf(half, current, base);
  const save = async (version: number) => {
    if ("fault" in typed) return;
    setIsSaving(true);
    try {
      const { saved, view } = await saveHalf(shadow, half, { base, document: typed.document, version });
      onSaved(view);
      if (saved) {
        tellSuccess("Saved");
        onClose();
      }
    } catch (error) {
      tellFailure(error);
    }
    setIsSaving(false);
  };
  const leave = async () => {
    const question = {
      title: "Discard changes?",
      text: "Your changes have not been saved.",
      action: "Discard",
    };
    if (text === printed(base, half) || (await confirmed(question))) onClose();
  };
  useKeys({ Escape: { does: "Stop editing", run: () => void leave() } });
  const startAgain = () => {
    setBase(current);
    setText(printed(current, half));
  };
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isStale) void save(current.version);
      }}
      onKeyDown={(event) => {
        if ((event.ctrlKey || event.metaKey) && event.key === "Enter") event.currentTarget.requestSubmit();
      }}
    >
      <label for="half-text">{half === "desired" ? "Desired" : "Reported"}, as JSON</label>
      <textarea
        id="half-text"
        ref={box}
        rows={Math.min(18, Math.max(6, text.split("\n").length + 1))}
        spellcheck={false}
        aria-invalid={"fault" in typed}
        aria-describedby="half-fault"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p id="half-fault" class="fault" role="status">
        {"fault" in typed ? `✗ ${typed.fault}` : ""}
      </p>
      {isStale && (
        <div class="stale" role="alert">
          <p>
            Somebody else changed what is {half}: version {current.version} came while you edited version{" "}
            {base.version}. Your changes can be put on top of it.
          </p>
          <div class="actions">
            <button type="button" onClick={startAgain}>
              Start again from version {current.version}
            </button>
            <button
              type="button"
              disabled={isSaving || "fault" in typed}
              onClick={() => void save(current.version)}
            >
              Save on top of version {current.version}
            </button>
          </div>
        </div>
      )}
      <div class="actions">
        <span class="dim hint">Ctrl + Enter saves</span>
        <button type="button" onClick={() => void leave()}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={isSaving || isStale || "fault" in typed}>
          Save
        </button>
      </div>
    </form>
  );
}

function printed({ state }: ShadowView, half: HalfName): string {
  return JSON.stringify(state[half] ?? {}, undefined, 2);
}

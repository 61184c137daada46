import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { isObject, parseExact } from "../json/exact-json.ts";
import { JsonEditor } from "../parts/json-editor.tsx";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import { sameHalf, saveHalf } from "./save-half.ts";
import type { HalfName, ShadowName, ShadowView } from "./shadow-api.ts";

export interface HalfEditorProps {
  readonly shadow: ShadowName;
  readonly half: HalfName;
  /** The current shadow; it may change while the user types. */
  readonly current: ShadowView;
  readonly onSaved: (view: ShadowView) => void;
  readonly onClose: () => void;
}

/** Edits the desired state, or the reported one in place of the device. Only changes made here are sent; if someone else changed the same values, the user decides. */
export function HalfEditor({ shadow, half, current, onSaved, onClose }: HalfEditorProps): VNode {
  const [base, setBase] = useState(current);
  const [text, setText] = useState(() => printed(current, half));
  const [isSaving, setIsSaving] = useState(false);
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
  const startAgain = () => {
    setBase(current);
    setText(printed(current, half));
  };
  return (
    <JsonEditor
      label={`${half === "desired" ? "Desired" : "Reported"}, as JSON`}
      text={text}
      original={printed(base, half)}
      fault={"fault" in typed ? typed.fault : undefined}
      maxRows={18}
      action="Save"
      canSave={!isSaving && !isStale && !("fault" in typed)}
      onType={setText}
      onSave={() => void save(current.version)}
      onClose={onClose}
    >
      {isStale && (
        <div class="stale" role="alert">
          <p>
            The {half} state was changed while you edited version {base.version}; it is version{" "}
            {current.version} now. You can apply your changes to it.
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
    </JsonEditor>
  );
}

function printed({ state }: ShadowView, half: HalfName): string {
  return JSON.stringify(state[half] ?? {}, undefined, 2);
}

/** The typed half: a document, or why it is not one. */
export type TypedHalf = { readonly document: Readonly<Record<string, unknown>> } | { readonly fault: string };

/** Parses a typed document. */
export function parseHalf(text: string): TypedHalf {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    return { fault: error instanceof Error ? error.message : "Invalid JSON." };
  }
  if (!isObject(value)) return { fault: "A state must be an object: { … }" };
  if (hasNull(value)) return { fault: "null would remove a value: omit the name instead." };
  return { document: value };
}

function hasNull(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasNull);
  return isObject(value) ? Object.values(value).some(hasNull) : value === null;
}

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../api/call-api.ts";
import { Dialog } from "../shell/dialog.tsx";
import { parseHalf } from "./half-editor.tsx";
import { patchHalf, type ShadowName } from "./shadow-api.ts";

export interface NewShadowProps {
  readonly store: string;
  readonly onClose: () => void;
  readonly onMade: (shadow: ShadowName) => void;
}

/** Creates a shadow with a desired state. */
export function NewShadow({ store, onClose, onMade }: NewShadowProps): VNode {
  const [thing, setThing] = useState("");
  const [name, setName] = useState("");
  const [text, setText] = useState('{\n  "on": true\n}');
  const [failure, setFailure] = useState("");
  const typed = parseHalf(text);
  const make = async () => {
    if ("fault" in typed) return;
    try {
      await patchHalf({ store, thing, name }, "desired", typed.document, 0);
      onMade({ store, thing, name });
      onClose();
    } catch (error) {
      const isThere = error instanceof ApiError && error.status === 412;
      setFailure(isThere ? "This shadow already exists." : (error as Error).message);
    }
  };
  return (
    <Dialog title="New shadow" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <label>
          Thing
          <input required value={thing} onInput={({ currentTarget }) => setThing(currentTarget.value)} />
        </label>
        <label>
          Name; leave it empty for the classic shadow
          <input value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </label>
        <label>
          Desired, as JSON
          <textarea
            rows={5}
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <p class="fault" role="status">
          {"fault" in typed ? `✗ ${typed.fault}` : failure}
        </p>
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={"fault" in typed || thing === ""}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}

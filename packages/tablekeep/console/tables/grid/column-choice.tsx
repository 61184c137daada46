import type { VNode } from "preact";
import { Dialog } from "../../shell/dialog.tsx";

export interface ColumnChoiceProps {
  readonly all: readonly string[];
  readonly shown: readonly string[];
  /** Undefined chooses the first few again. */
  readonly onChoose: (names: readonly string[] | undefined) => void;
  readonly onClose: () => void;
}

/** Chooses the columns of a grid. Each change is seen at once. */
export function ColumnChoice({ all, shown, onChoose, onClose }: ColumnChoiceProps): VNode {
  const change = (name: string, isShown: boolean) =>
    onChoose(isShown ? [...shown, name] : shown.filter((each) => each !== name));
  return (
    <Dialog title="Columns" onClose={onClose}>
      <p>The attributes of the items read so far.</p>
      <div class="column-choice">
        {all.map((name) => (
          <label key={name} class="switch">
            <input
              type="checkbox"
              checked={shown.includes(name)}
              disabled={shown.length === 1 && shown.includes(name)}
              onChange={({ currentTarget }) => change(name, currentTarget.checked)}
            />
            <span title={name}>{name}</span>
          </label>
        ))}
      </div>
      <div class="actions">
        <button type="button" onClick={() => onChoose(undefined)}>
          Reset
        </button>
        <button type="button" onClick={() => onChoose(all)}>
          Show all
        </button>
        <button type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

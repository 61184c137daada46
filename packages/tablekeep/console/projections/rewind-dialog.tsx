import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../shell/dialog.tsx";

export interface RewindDialogProps {
  readonly name: string;
  readonly onClose: () => void;
  /** Called with `start`, `end`, a time or a position. */
  readonly onRewind: (to: string) => void;
}

/** Asks where to move a projection to. */
export function RewindDialog({ name, onClose, onRewind }: RewindDialogProps): VNode {
  const [target, setTarget] = useState<"start" | "end" | "time">("start");
  const [time, setTime] = useState("");
  const to = target === "time" ? time && new Date(time).toISOString() : target;
  return (
    <Dialog title={`Rewind ${name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onRewind(to);
          onClose();
        }}
      >
        <p>
          Events that it passes a second time are applied again. What it has written is not changed: empty its
          tables first if applying an event twice does harm.
        </p>
        <label>
          Move to
          <select
            value={target}
            onChange={({ currentTarget }) => setTarget(currentTarget.value as typeof target)}
          >
            <option value="start">the start of the feed</option>
            <option value="time">a time</option>
            <option value="end">the end of the feed</option>
          </select>
        </label>
        {target === "time" && (
          <label>
            Time
            <input
              type="datetime-local"
              required
              value={time}
              onInput={({ currentTarget }) => setTime(currentTarget.value)}
            />
          </label>
        )}
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="danger">
            Rewind
          </button>
        </div>
      </form>
    </Dialog>
  );
}

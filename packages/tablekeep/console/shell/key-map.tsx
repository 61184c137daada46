import type { VNode } from "preact";
import { Dialog } from "./dialog.tsx";
import { knownKeys } from "./keys.ts";

/** All keys that work where the person is. */
export function KeyMapDialog({ onClose }: { readonly onClose: () => void }): VNode {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {knownKeys().map(([key, does]) => (
          <div key={key}>
            <dt>
              {key.split(" ").map((each, at) => (
                <kbd key={`${at}${each}`}>{each === "Escape" ? "Esc" : each}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

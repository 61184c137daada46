import type { VNode } from "preact";
import { Dialog } from "./dialog.tsx";
import { knownKeys } from "./keyboard.ts";

const names: Readonly<Record<string, string>> = { Escape: "Esc", ArrowDown: "↓", ArrowUp: "↑" };

/** All keys that work on this screen. */
export function KeyMapDialog({ onClose }: { readonly onClose: () => void }): VNode {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {knownKeys().map(([does, keys]) => (
          <div key={does}>
            <dt>
              {keys.map((key, at) => (
                <span key={key}>
                  {at > 0 && <span class="dim">or</span>}
                  {key.split(" ").map((each) => (
                    <kbd key={each}>{names[each] ?? each}</kbd>
                  ))}
                </span>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

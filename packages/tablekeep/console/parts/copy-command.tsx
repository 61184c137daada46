import type { VNode } from "preact";
import { copyText } from "./copy-text.ts";

/** A command line with a button that copies it. */
export function CopyCommand({ command }: { readonly command: string }): VNode {
  return (
    <div class="command">
      <code>{command}</code>
      <button type="button" aria-label="Copy the command" onClick={() => void copyText(command)}>
        Copy
      </button>
    </div>
  );
}

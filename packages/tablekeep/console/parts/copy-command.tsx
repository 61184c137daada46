import type { VNode } from "preact";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";

/** A command line with a button that copies it. */
export function CopyCommand({ command }: { readonly command: string }): VNode {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(command);
      tellSuccess("Copied");
    } catch {
      // Not allowed, or not over https: the text can still be selected.
      tellFailure("The browser does not allow copying here: select the text instead");
    }
  };
  return (
    <div class="command">
      <code>{command}</code>
      <button type="button" aria-label="Copy the command" onClick={() => void copy()}>
        Copy
      </button>
    </div>
  );
}

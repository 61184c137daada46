import type { VNode } from "preact";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";

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

/** Copies text to the clipboard. Returns whether that was possible. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tellSuccess("Copied");
  } catch {
    // Not allowed, or not over https: the text can still be selected.
    tellFailure("The browser does not allow copying here: select the text instead");
  }
}

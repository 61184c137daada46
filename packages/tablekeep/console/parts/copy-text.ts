import { tellFailure, tellSuccess } from "../shell/toasts.tsx";

/** Copies a text, and says whether that was possible. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tellSuccess("Copied");
  } catch {
    // Not allowed, or not over https: the text can still be selected.
    tellFailure("The browser does not allow copying here: select the text instead");
  }
}

import { useEffect, useRef } from "preact/hooks";
import { confirmed } from "./confirm.tsx";

/** The editors on the page whose text is not saved. */
const unsaved = new Set<object>();

addEventListener("beforeunload", (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

/** While `isUnsaved`, the page asks before another place is shown, and the browser before it leaves the page. */
export function useUnsaved(isUnsaved: boolean): void {
  const editor = useRef({});
  useEffect(() => {
    if (!isUnsaved) return;
    const { current } = editor;
    unsaved.add(current);
    return () => {
      unsaved.delete(current);
    };
  }, [isUnsaved]);
}

/** To be called when the text was saved or is no longer wanted, before another place is shown. */
export function forgetUnsaved(): void {
  unsaved.clear();
}

export function hasUnsaved(): boolean {
  return unsaved.size > 0;
}

/** Prompts before typed text is discarded. */
export async function mayDiscard(): Promise<boolean> {
  const isDiscarded = await confirmed({
    title: "Discard changes?",
    text: "Your changes have not been saved.",
    action: "Discard",
  });
  if (isDiscarded) forgetUnsaved();
  return isDiscarded;
}

import type { VNode } from "preact";
import { createStore } from "./store.ts";
import { useStore } from "./use-store.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: "good" | "bad";
}

const shownMs = { good: 4_000, bad: 9_000 };
const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

/** Shows a success message for a few seconds. */
export function tellSuccess(text: string): void {
  show(text, "good");
}

/** Shows an error message, a little longer. */
export function tellFailure(error: unknown): void {
  show(error instanceof Error ? error.message : String(error), "bad");
}

function show(text: string, kind: Toast["kind"]): void {
  const toast: Toast = { id: ++lastId, text, kind };
  toasts.set([...toasts.get().slice(-3), toast]);
  setTimeout(() => dismiss(toast.id), shownMs[kind]);
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((each) => each.id !== id));
}

/** Shows the messages; once per page. */
export function Toasts(): VNode {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {useStore(toasts).map(({ id, text, kind }) => (
        <div key={id} class={`toast ${kind}`}>
          <span>{text}</span>
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}

import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { createStore } from "./store.ts";
import { useStore } from "./use-store.ts";

/** A question to confirm an action. */
export interface Question {
  readonly title: string;
  readonly text: string;
  /** The label of the button that confirms: a verb. */
  readonly action: string;
}

interface OpenQuestion extends Question {
  readonly answer: (goAhead: boolean) => void;
}

const asked = createStore<OpenQuestion | undefined>(undefined);

/** Prompts for a confirmation. Resolves to false if the dialog is closed in any other way. */
export function confirmed(question: Question): Promise<boolean> {
  return new Promise((answer) => {
    asked.get()?.answer(false);
    asked.set({ ...question, answer });
  });
}

/** Shows the questions; once per page. */
export function Questions(): VNode | null {
  const question = useStore(asked);
  const action = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => action.current?.focus(), [question]);
  if (question === undefined) return null;
  const settle = (goAhead: boolean) => {
    question.answer(goAhead);
    asked.set(undefined);
  };
  return (
    <Dialog title={question.title} onClose={() => settle(false)}>
      <p>{question.text}</p>
      <div class="actions">
        <button type="button" onClick={() => settle(false)}>
          Cancel
        </button>
        <button ref={action} type="button" class="danger" onClick={() => settle(true)}>
          {question.action}
        </button>
      </div>
    </Dialog>
  );
}

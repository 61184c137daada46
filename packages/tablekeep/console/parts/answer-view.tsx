import type { ComponentChildren, VNode } from "preact";
import type { Answer } from "../api/use-answer.ts";

/** Shows an answer once it is there, and until then that it is not. */
export function AnswerView<Value>({
  answer,
  children,
}: {
  readonly answer: Answer<Value>;
  readonly children: (value: Value) => ComponentChildren;
}): VNode {
  if (answer.kind === "waiting") return <p class="list-state">Loading…</p>;
  if (answer.kind === "failed")
    return (
      <div class="list-state" role="alert">
        <p>{answer.error.message}</p>
        <button type="button" onClick={answer.askAgain}>
          Try again
        </button>
      </div>
    );
  return <>{children(answer.value)}</>;
}

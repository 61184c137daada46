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
      <p class="list-state" role="alert">
        {answer.error.message}
      </p>
    );
  return <>{children(answer.value)}</>;
}

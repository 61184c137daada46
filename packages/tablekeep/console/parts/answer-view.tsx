import type { ComponentChildren, VNode } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/call-api.ts";
import type { Answer } from "../api/use-answer.ts";
import { connection } from "../shell/connection.ts";

/** Shows a response once it is available, and a placeholder until then. */
export function AnswerView<Value>({
  answer,
  children,
}: {
  readonly answer: Answer<Value>;
  readonly children: (value: Value) => ComponentChildren;
}): VNode {
  if (answer.kind === "waiting") return <p class="list-state">Loading…</p>;
  if (answer.kind === "failed") return <Failure error={answer.error} askAgain={answer.askAgain} />;
  return <>{children(answer.value)}</>;
}

interface FailureProps {
  readonly error: Error;
  readonly askAgain: () => void;
}

/** Shows why there is no response. Repeats the request once an unreachable server is back. */
function Failure({ error, askAgain }: FailureProps): VNode {
  useEffect(() => {
    if (!(error instanceof ApiError) || error.status !== 0) return;
    return connection.watch((state) => {
      if (state !== "offline") askAgain();
    });
  }, [error]);
  return (
    <div class="list-state" role="alert">
      <p>{error.message}</p>
      <button type="button" onClick={askAgain}>
        Try again
      </button>
    </div>
  );
}

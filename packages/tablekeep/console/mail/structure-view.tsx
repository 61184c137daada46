import type { VNode } from "preact";
import { callApi } from "../api/call-api.ts";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { showSize } from "../parts/show-values.ts";

/** A part of a message, as the server describes it. */
interface Part {
  readonly type: string;
  readonly encoding: string;
  readonly size: number;
  readonly charset?: string;
  readonly disposition?: string;
  readonly filename?: string;
  readonly contentId?: string;
  readonly parts: readonly Part[];
}

/** The structure of the message at an API path. */
export function StructureView({ path }: { readonly path: string }): VNode {
  const answer = useAnswer((signal) => callApi<Part>(`${path}/structure`, { signal }), [path]);
  return <AnswerView answer={answer}>{(part) => <Parts parts={[part]} />}</AnswerView>;
}

function Parts({ parts }: { readonly parts: readonly Part[] }): VNode {
  return (
    <ul class="message-parts">
      {parts.map((part, at) => (
        <li key={`${at}`}>
          <code>{part.type}</code>
          {part.filename !== undefined && <span> {part.filename}</span>}
          <span class="dim"> {detailsOf(part).join(", ")}</span>
          {part.parts.length > 0 && <Parts parts={part.parts} />}
        </li>
      ))}
    </ul>
  );
}

function detailsOf({ encoding, size, charset, disposition, contentId }: Part): string[] {
  const known = [charset, disposition, contentId].filter((each) => each !== undefined);
  return [...known, encoding, showSize(size)];
}

import type { VNode } from "preact";
import { fetchServer } from "../../api/server-facts.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Printed } from "../../json/json-view.tsx";
import { AnswerView } from "../../parts/answer-view.tsx";
import { copyText } from "../../parts/copy-command.tsx";
import type { TableFacts } from "../api/table-facts.ts";
import type { ItemsQuery } from "./items-query.ts";
import { queryCode } from "./query-code.ts";

export interface QueryCodeProps {
  readonly facts: TableFacts;
  readonly query: ItemsQuery;
}

/** The code of the query that is being typed, with a button that copies it. */
export function QueryCode({ facts, query }: QueryCodeProps): VNode {
  const answer = useAnswer(fetchServer, ["server"]);
  return (
    <AnswerView answer={answer}>
      {({ listeners }) => {
        const url = listeners.find(({ name }) => name === "dynamodb")?.url;
        const code = queryCode(facts, query, url?.replace(/\/$/, ""));
        return (
          <div class="query-code">
            <button type="button" aria-label="Copy the code" onClick={() => void copyText(code)}>
              Copy
            </button>
            <Printed label="Code">{code}</Printed>
          </div>
        );
      }}
    </AnswerView>
  );
}

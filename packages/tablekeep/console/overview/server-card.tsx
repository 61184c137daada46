import type { VNode } from "preact";
import { servedPath } from "../api/call-api.ts";
import { fetchServer } from "../api/server-facts.ts";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { Card } from "./card.tsx";

/** The server: its version, the addresses of its listeners, and the location of its data. */
export function ServerCard(): VNode {
  const answer = useAnswer(fetchServer, ["server"]);
  const version = answer.kind === "ready" ? answer.value.version : undefined;
  return (
    <Card title="Server" href={servedPath("/about")} count={version}>
      <AnswerView answer={answer}>
        {({ storage, listeners }) => (
          <dl class="listeners">
            {listeners.map(({ name, purpose, url }) => (
              <div key={name} title={purpose}>
                <dt>{name}</dt>
                <dd>
                  <code>{url.replace(/\/$/, "")}</code>
                </dd>
              </div>
            ))}
            <div>
              <dt>data</dt>
              <dd>
                <code>{storage}</code>
              </dd>
            </div>
          </dl>
        )}
      </AnswerView>
    </Card>
  );
}

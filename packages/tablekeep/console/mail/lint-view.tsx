import type { VNode } from "preact";
import { callApi } from "../api/call-api.ts";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";

/** One problem of a message. */
interface Finding {
  readonly rule: string;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly fix: string;
  readonly where?: string;
}

const severities = { error: "Error", warning: "Warning", info: "Note" } as const;

/** The problems of the message at an API path, and what to do about them. */
export function LintView({ path }: { readonly path: string }): VNode {
  const answer = useAnswer((signal) => callApi<{ findings: Finding[] }>(`${path}/lint`, { signal }), [path]);
  return (
    <AnswerView answer={answer}>
      {({ findings }) =>
        findings.length === 0 ? (
          <p class="dim">No findings.</p>
        ) : (
          <>
            <p class="lint-counts">{countsText(findings)}</p>
            <ul class="lint-findings">
              {findings.map(({ rule, severity, message, fix, where }, at) => (
                <li key={`${at}`}>
                  <span class={`lint-severity ${severity}`}>{severities[severity]}</span>
                  <div>
                    <p>
                      {message}
                      {where !== undefined && <span class="dim"> ({where})</span>}
                    </p>
                    <p class="dim">
                      <code>{rule}</code> {fix}
                    </p>
                  </div>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </AnswerView>
  );
}

function countsText(findings: readonly Finding[]): string {
  return Object.entries(severities)
    .map(([severity, name]) => {
      const count = findings.filter((each) => each.severity === severity).length;
      return `${count} ${name.toLowerCase()}${count === 1 ? "" : "s"}`;
    })
    .join(", ");
}

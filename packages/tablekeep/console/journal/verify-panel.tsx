import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../api/call-api.ts";
import { pathPart } from "../api/path-part.ts";
import { counted } from "../parts/show-values.ts";
import { confirmed } from "../shell/confirm.tsx";
import { placeOf } from "../shell/route.ts";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import type { JournalFacts } from "./journal-api.ts";

/** One problem of a journal. */
interface Finding {
  readonly kind: string;
  readonly severity: "error" | "warning" | "info";
  readonly persistenceId: string;
  readonly message: string;
  /** What a repair would change; undefined if none is possible. */
  readonly repair?: { readonly action: string };
}

interface Verification {
  readonly ids: number;
  readonly rows: number;
  readonly findings: readonly Finding[];
  readonly complete: boolean;
}

export interface VerifyPanelProps {
  readonly journal: JournalFacts;
  /** Only this id. @default the whole journal */
  readonly id?: string;
}

const badges = { error: "bad", warning: "warn", info: "" } as const;

/** Verifies a journal or an id, shows what a repair would change, and makes the chosen repairs. */
export function VerifyPanel({ journal, id }: VerifyPanelProps): VNode {
  const path = `/api/v3/journals/${pathPart(journal.name)}`;
  const [result, setResult] = useState<Verification | "running">();
  const [left, setLeft] = useState<ReadonlySet<Finding>>(new Set());
  const verify = async () => {
    setResult("running");
    try {
      const query = id === undefined ? "" : `?${new URLSearchParams({ id })}`;
      setResult(await callApi<Verification>(`${path}/verification${query}`));
      setLeft(new Set());
    } catch (error) {
      setResult(undefined);
      tellFailure(error);
    }
  };
  const repair = async (findings: readonly Finding[]) => {
    const question = {
      title: `Repair ${counted(findings.length, "finding")}?`,
      text: "Each is checked again, and changed only if it is still there. No event is changed.",
      action: "Repair",
    };
    if (!(await confirmed(question))) return;
    try {
      const body = {
        findings: findings.map(({ persistenceId, repair: change }) => ({ persistenceId, repair: change })),
      };
      const { repairs } = await callApi<{ repairs: { status: string }[] }>(`${path}/repairs`, {
        method: "POST",
        body,
      });
      const done = repairs.filter(({ status }) => status === "done").length;
      tellSuccess(`Repaired ${done} of ${repairs.length}`);
    } catch (error) {
      tellFailure(error);
    }
    await verify();
  };
  const found = typeof result === "object" ? result.findings : [];
  const chosen = found.filter((each) => each.repair !== undefined && !left.has(each));
  return (
    <section class="verify" aria-label="Verification">
      <p>
        <button
          type="button"
          aria-disabled={result === "running"}
          onClick={() => result !== "running" && void verify()}
        >
          {result === "running" ? "Verifying…" : "Verify"}
        </button>{" "}
        <span class="dim" role="status">
          {typeof result === "object"
            ? toldOf(result)
            : `Reads the whole ${id === undefined ? "journal" : "id"}.`}
        </span>
      </p>
      {found.length > 0 && (
        <ul class="findings" aria-label="Findings">
          {found.map((finding) => (
            <FindingLine
              key={JSON.stringify(finding)}
              journal={journal}
              finding={finding}
              isChosen={!left.has(finding)}
              onChoose={(isChosen) => {
                const next = new Set(left);
                if (isChosen) next.delete(finding);
                else next.add(finding);
                setLeft(next);
              }}
            />
          ))}
        </ul>
      )}
      {journal.discovered !== true && chosen.length > 0 && (
        <p>
          <button type="button" class="primary" onClick={() => void repair(chosen)}>
            Repair {chosen.length.toLocaleString()}…
          </button>
        </p>
      )}
    </section>
  );
}

function toldOf({ ids, rows, findings, complete }: Verification): string {
  const read = `Read ${counted(rows, "row")} of ${counted(ids, "id")}: `;
  const count = findings.length === 0 ? "no findings" : counted(findings.length, "finding");
  return read + count + (complete ? "." : ". It ended early: “tablekeep journal verify” has no limits.");
}

interface FindingLineProps {
  readonly journal: JournalFacts;
  readonly finding: Finding;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

function FindingLine({ journal, finding, isChosen, onChoose }: FindingLineProps): VNode {
  const { kind, severity, persistenceId, message, repair } = finding;
  return (
    <li class="finding">
      <span class="row-line">
        <span class={`badge ${badges[severity]}`}>{severity}</span>
        <a class="grow" href={placeOf(["journal", journal.name, persistenceId])}>
          {persistenceId}
        </a>
        <small>{kind}</small>
      </span>
      <span>{message}</span>
      {repair === undefined ? (
        <span class="dim">Cannot be repaired without losing data.</span>
      ) : (
        <label class="switch">
          <input
            type="checkbox"
            checked={isChosen}
            disabled={journal.discovered === true}
            onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
          />
          <span>
            Repair: <code>{repairText(repair)}</code>
          </span>
        </label>
      )}
    </li>
  );
}

/** What a repair changes: `raise-high-mark to 7`. */
function repairText({ action, ...more }: { readonly action: string }): string {
  return [action, ...Object.entries(more).map(([name, value]) => `${name} ${String(value)}`)].join(" ");
}

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isNotFound, useAnswer } from "../api/use-answer.ts";
import { JsonView } from "../json/json-view.tsx";
import { AnswerView } from "../parts/answer-view.tsx";
import { Detail, Facts } from "../parts/detail.tsx";
import { longTime } from "../parts/show-values.ts";
import { confirmed, type Question } from "../shell/confirm.tsx";
import { useKeys } from "../shell/keyboard.ts";
import { placeOf } from "../shell/route.ts";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import { goTo } from "../shell/use-route.ts";
import { gateText, PhaseBadge, waveText } from "./rollout-facts.tsx";
import { RolloutThings } from "./rollout-things.tsx";
import { changeRollout, fetchRollout, type Rollout, type RolloutChange } from "./rollouts-api.ts";

export interface RolloutDetailProps {
  readonly name: string;
  readonly refreshMs: number;
  /** Called when it was changed. */
  readonly onChange: () => void;
}

/** One rollout: its progress, its changes, its things, and actions. */
export function RolloutDetail({ name, refreshMs, onChange }: RolloutDetailProps): VNode {
  const [round, setRound] = useState(0);
  const back = placeOf(["shadows"], { view: "rollouts" });
  const answer = useAnswer((signal) => fetchRollout(name, signal), [name, round]);
  useEffect(() => {
    const timer = setTimeout(() => setRound((last) => last + 1), refreshMs);
    return () => clearTimeout(timer);
  }, [answer]);
  useKeys({ Escape: { does: "Close", run: () => goTo(back) } });
  const run = async ({ change, done, body, question }: Action) => {
    if (question !== undefined && !(await confirmed(question))) return;
    try {
      await changeRollout(name, change, body);
      tellSuccess(done);
    } catch (error) {
      tellFailure(error);
    }
    setRound((last) => last + 1);
    onChange();
  };
  const rollout = answer.kind === "ready" ? answer.value : undefined;
  return (
    <Detail
      title={name}
      back={back}
      actions={
        rollout &&
        actionsOf(rollout).map((action) => (
          <button
            key={action.title}
            type="button"
            class={action.question === undefined ? "" : "danger"}
            onClick={() => void run(action)}
          >
            {action.title}
          </button>
        ))
      }
    >
      {isNotFound(answer) ? (
        <p class="dim">This rollout does not exist.</p>
      ) : (
        <AnswerView answer={answer}>
          {(found) => (
            <>
              <RolloutSummary rollout={found} />
              <RolloutThings key={name} rollout={found} round={round} />
            </>
          )}
        </AnswerView>
      )}
    </Detail>
  );
}

function RolloutSummary({ rollout }: { readonly rollout: Rollout }): VNode {
  const { query, shadow, desired, gate, reason, createdAt } = rollout;
  return (
    <>
      <Facts
        facts={{
          State: (
            <>
              <PhaseBadge {...rollout} /> {waveText(rollout)}
            </>
          ),
          Reason: reason,
          Things: (
            <>
              those that matched{" "}
              <a href={placeOf(["shadows"], { q: query })}>
                <code>{query}</code>
              </a>
            </>
          ),
          Shadow: shadow === "" ? "classic" : shadow,
          "Must succeed": gateText(gate),
          Created: longTime(createdAt),
        }}
      />
      <h2>Desired</h2>
      <JsonView value={desired} label="Desired" />
    </>
  );
}

/** An action on a rollout. */
interface Action {
  readonly title: string;
  readonly change: RolloutChange;
  /** The message after success. */
  readonly done: string;
  readonly body?: object;
  readonly question?: Question;
}

/** The actions that the phase of a rollout allows. */
function actionsOf({ name, phase, wave }: Rollout): readonly Action[] {
  const pause: Action = { title: "Pause", change: "pause", done: "Paused" };
  const resume: Action = { title: "Resume", change: "resume", done: "Resumed" };
  const accept: Action = {
    title: "Accept the wave…",
    change: "resume",
    done: "Resumed",
    body: { accept: true },
    question: {
      title: `Continue ${name} after wave ${wave}?`,
      text: "The next wave begins, whatever the things of this one report.",
      action: "Continue",
    },
  };
  const cancel: Action = {
    title: "Cancel…",
    change: "cancel",
    done: "Cancelled",
    question: {
      title: `Cancel ${name}?`,
      text: "It changes no further things. What it has changed stays, and can still be rolled back.",
      action: "Cancel the rollout",
    },
  };
  const rollBack: Action = {
    title: "Roll back…",
    change: "rollback",
    done: "Rolling back",
    question: {
      title: `Roll back ${name}?`,
      text: "The things get the desired values that they had before, except those that others have changed since.",
      action: "Roll back",
    },
  };
  const byPhase: Readonly<Record<Rollout["phase"], readonly Action[]>> = {
    preparing: [cancel],
    running: [pause, cancel, rollBack],
    paused: [resume, ...(wave > 0 ? [accept] : []), cancel, rollBack],
    cancelled: [rollBack],
    succeeded: [rollBack],
    "rolling-back": [],
    "rolled-back": [],
  };
  return byPhase[phase];
}

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/call-api.ts";
import { isNotFound, useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { Detail } from "../parts/detail.tsx";
import { confirmed, type Question } from "../shell/confirm.tsx";
import { useKeys } from "../shell/keyboard.ts";
import { placeOf } from "../shell/route.ts";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import { goTo } from "../shell/use-route.ts";
import { ParkedEvents } from "./parked-list.tsx";
import { ProjectionNumbers } from "./projection-facts.tsx";
import {
  changeProjection,
  fetchProjection,
  type ProjectionStatus,
  type ProjectionTarget,
  type RunChange,
  removeProjection,
} from "./projections-api.ts";
import { RewindDialog } from "./rewind-dialog.tsx";
import { SliceTable, StoppedSlices } from "./slice-table.tsx";

export interface ProjectionDetailProps {
  readonly target: ProjectionTarget;
  readonly refreshMs: number;
  /** Called when it was changed. */
  readonly onChange: () => void;
}

/** One version of a projection: its progress, the events that it could not apply, and actions. */
export function ProjectionDetail({ target, refreshMs, onChange }: ProjectionDetailProps): VNode {
  const { journal, name } = target;
  const [round, setRound] = useState(0);
  const back = placeOf(["projections", journal]);
  const answer = useAnswer((signal) => fetchProjection(target, signal), [name, round]);
  useEffect(() => {
    const timer = setTimeout(() => setRound((last) => last + 1), refreshMs);
    return () => clearTimeout(timer);
  }, [answer]);
  const run: RunChange = async (work, done, question) => {
    if (question !== undefined && !(await confirmed(question))) return;
    try {
      await work();
      tellSuccess(done);
    } catch (error) {
      tellFailure(error);
    }
    setRound((last) => last + 1);
    onChange();
  };
  const status = answer.kind === "ready" ? answer.value.status : undefined;
  const isPaused = status?.state === "paused";
  const pauseOrResume = () =>
    run(() => changeProjection(target, isPaused ? "resume" : "pause"), isPaused ? "Resumed" : "Paused");
  useKeys({
    Escape: { does: "Close", run: () => goTo(back) },
    p: { does: "Pause or resume", when: () => status?.outdated === false, run: () => void pauseOrResume() },
  });
  return (
    <Detail
      title={name}
      back={back}
      actions={
        status && <Actions target={target} status={status} run={run} onPause={() => void pauseOrResume()} />
      }
    >
      {isNotFound(answer) ? (
        <p class="dim">This projection does not exist, or has been removed.</p>
      ) : (
        <AnswerView answer={answer}>
          {(view) => (
            <>
              <ProjectionNumbers status={view.status} />
              {!view.status.outdated && (
                <StoppedSlices target={target} slices={view.status.slices} run={run} />
              )}
              <ParkedEvents target={target} parked={view.parked} status={view.status} run={run} />
              {!view.status.outdated && <SliceTable slices={view.status.slices} />}
            </>
          )}
        </AnswerView>
      )}
    </Detail>
  );
}

interface ActionsProps {
  readonly target: ProjectionTarget;
  readonly status: ProjectionStatus;
  readonly run: RunChange;
  readonly onPause: () => void;
}

function Actions({ target, status, run, onPause }: ActionsProps): VNode {
  const { journal, name } = target;
  const { version, current, versions, state, outdated } = status;
  const [isRewinding, setIsRewinding] = useState(false);
  return (
    <>
      {versions.length > 1 && (
        <select
          aria-label="Version"
          value={String(version)}
          onChange={({ currentTarget }) =>
            goTo(placeOf(["projections", journal, name], { version: currentTarget.value }))
          }
        >
          {versions.map((each) => (
            <option key={each} value={String(each)}>
              Version {each}
              {each === current ? " (current)" : ""}
            </option>
          ))}
        </select>
      )}
      {state === "stopped" && !outdated && (
        <button type="button" onClick={() => void run(() => changeProjection(target, "resume"), "Resumed")}>
          Try again
        </button>
      )}
      {!outdated && (
        <>
          <button type="button" onClick={onPause} title="Pause or resume: p">
            {state === "paused" ? "Resume" : "Pause"}
          </button>
          <button type="button" onClick={() => setIsRewinding(true)}>
            Rewind…
          </button>
        </>
      )}
      {version !== current && (
        <button
          type="button"
          onClick={() => void run(() => switchTo(target, version), "Switched", switching(status))}
        >
          Make current
        </button>
      )}
      <button type="button" class="danger" onClick={() => void remove(target, status, run)}>
        Remove…
      </button>
      {isRewinding && (
        <RewindDialog
          name={name}
          onClose={() => setIsRewinding(false)}
          onRewind={(to) => void run(() => changeProjection(target, "rewind", { to }), `Moved to ${to}`)}
        />
      )}
    </>
  );
}

function switching({ name, version, current }: ProjectionStatus): Question {
  const text = `Readers then use version ${version} instead of ${current}. You can switch back.`;
  return { title: `Make version ${version} of ${name} the current one?`, text, action: "Switch" };
}

/** Asks once more if the version is behind. */
async function switchTo(target: ProjectionTarget, version: number): Promise<void> {
  try {
    await changeProjection(target, "switch", { version });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "PROJECTION_BEHIND") throw error;
    const question = {
      title: "Switch even though it is behind?",
      text: error.message,
      action: "Switch anyway",
    };
    if (!(await confirmed(question))) throw error;
    await changeProjection(target, "switch", { version, force: true });
  }
}

async function remove(target: ProjectionTarget, status: ProjectionStatus, run: RunChange): Promise<void> {
  const { name, version, versions } = status;
  const isWhole = versions.length === 1;
  const what = isWhole ? name : `version ${version} of ${name}`;
  const text = "Its positions and parked events are deleted. What it has written stays.";
  let isRemoved = false;
  await run(
    async () => {
      await removeProjection(target, isWhole ? undefined : version);
      isRemoved = true;
    },
    `Removed ${what}`,
    { title: `Remove ${what}?`, text, action: "Remove" },
  );
  if (isRemoved) goTo(placeOf(["projections", target.journal]));
}

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { DiffView } from "../json/diff-view.tsx";
import { JsonView } from "../json/json-view.tsx";
import { AnswerView } from "../parts/answer-view.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { type FoundEntity, findEntity } from "./entity-states.ts";
import { FoldEditor } from "./fold-editor.tsx";
import type { FoldedState } from "./fold-states.ts";
import type { JournalFacts } from "./journal-api.ts";
import { rememberedFold, rememberFold } from "./remembered-fold.ts";
import { useStates } from "./use-states.ts";

export interface StateViewProps {
  readonly facts: JournalFacts;
  /** The API path of the id. */
  readonly path: string;
  readonly sequenceNr: number;
  readonly lowest: number;
  readonly highest: number;
  /** The sequence numbers of the snapshots, newest first. */
  readonly snapshots: readonly number[];
  /** The sequence number to compare with, from the address. */
  readonly compared: number | undefined;
  readonly onMove: (sequenceNr: number) => void;
  readonly onCompare: (sequenceNr: number | undefined) => void;
}

/** What is shown unless two states are compared. */
type Shown = "change" | "after" | "before";

/** The state of an id at one event, by the definition of its entity if the server has it, otherwise by a fold. */
export function StateView(props: StateViewProps): VNode {
  const { facts, path } = props;
  const answer = useAnswer((signal) => findEntity(facts, path, signal), [path]);
  return <AnswerView answer={answer}>{(found) => <StatesAt {...props} found={found} />}</AnswerView>;
}

interface StatesAtProps extends StateViewProps {
  readonly found: FoundEntity;
}

/** The state before and after an event, what the event changed, and the differences from any other event. */
function StatesAt(props: StatesAtProps): VNode {
  const { facts, path, sequenceNr, lowest, highest, snapshots, compared, found, onMove, onCompare } = props;
  const journal = facts.name;
  const [prefersFold, setPrefersFold] = useState(false);
  const byEntity = found.entity !== undefined && !prefersFold;
  const [chosen, setChosen] = useState<Shown>("change");
  const shown = compared === undefined ? chosen : "compare";
  const [code, setCode] = useState(() => rememberedFold(journal));
  const [fromSnapshot, setFromSnapshot] = useState(lowest > 1);
  const other = compared ?? Math.max(lowest - 1, 0);
  const wanted = shown === "compare" ? [other, sequenceNr] : [sequenceNr - 1, sequenceNr];
  const starts = fromSnapshot ? snapshots : [];
  const states = useStates({ path, byEntity, code, snapshots: starts, wanted });
  const stateAt = (at: number): FoldedState =>
    (states.kind === "ready" ? states.states.get(at) : undefined) ?? { value: undefined };
  return (
    <div class="state-view">
      <label class="state-slider">
        <span>
          Event {sequenceNr.toLocaleString()} of {highest.toLocaleString()}
        </span>
        <input
          type="range"
          aria-label="Event"
          min={lowest}
          max={Math.max(highest, sequenceNr)}
          value={sequenceNr}
          onInput={({ currentTarget }) => onMove(Number(currentTarget.value))}
        />
      </label>
      <Tabs
        label="States"
        tabs={[
          { name: "change", title: "Change" },
          { name: "after", title: `After ${sequenceNr}` },
          { name: "before", title: `Before ${sequenceNr}` },
          { name: "compare", title: "Compare" },
        ]}
        chosen={shown}
        onChoose={(next) => {
          if (next !== "compare") setChosen(next);
          onCompare(next === "compare" ? other : undefined);
        }}
      />
      {shown === "compare" && (
        <label class="state-compare">
          From the state after event
          <input
            type="number"
            min={0}
            max={highest}
            value={other}
            onInput={({ currentTarget: { value } }) => /^\d{1,15}$/.test(value) && onCompare(Number(value))}
          />
          to event {sequenceNr}
        </label>
      )}
      <div role="tabpanel">
        {states.kind === "folding" && (
          <p class="dim" role="status">
            Folding{states.sequenceNr > 0 && `: event ${states.sequenceNr.toLocaleString()}`}…
          </p>
        )}
        {states.kind === "failed" && (
          <div class="fold-failure" role="alert">
            <p>{states.message}</p>
            <button type="button" onClick={states.again}>
              Try again
            </button>
          </div>
        )}
        {states.kind === "ready" && shown === "after" && <OneState state={stateAt(sequenceNr)} />}
        {states.kind === "ready" && shown === "before" && <OneState state={stateAt(sequenceNr - 1)} />}
        {states.kind === "ready" && (shown === "change" || shown === "compare") && (
          <DiffView
            before={stateAt(shown === "compare" ? other : sequenceNr - 1).value}
            after={stateAt(sequenceNr).value}
            label="Differences of the states"
          />
        )}
      </div>
      <EntitySwitch found={found} byEntity={byEntity} onChange={(isChosen) => setPrefersFold(!isChosen)} />
      {!byEntity && (
        <FoldEditor
          code={code}
          snapshots={snapshots.length}
          fromSnapshot={fromSnapshot}
          onFromSnapshot={setFromSnapshot}
          onApply={(typed) => {
            rememberFold(journal, typed);
            setCode(typed);
          }}
        />
      )}
    </div>
  );
}

interface EntitySwitchProps {
  readonly found: FoundEntity;
  readonly byEntity: boolean;
  readonly onChange: (byEntity: boolean) => void;
}

function EntitySwitch({ found: { entity, failure }, byEntity, onChange }: EntitySwitchProps): VNode | null {
  if (failure !== undefined)
    return (
      <p class="fold-failure" role="alert">
        {failure}
      </p>
    );
  if (entity === undefined) return null;
  return (
    <div class="fold-head">
      <label class="switch">
        <input
          type="checkbox"
          checked={byEntity}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        Use the entity's definition
      </label>
      <span class="dim">
        {byEntity
          ? `These states come from the definition of ${entity.type}, for the entity ${entity.id}.`
          : "These states come from the fold below."}
      </span>
    </div>
  );
}

function OneState({ state: { value } }: { readonly state: FoldedState }): VNode {
  if (value === undefined) return <p class="dim">There is no state yet.</p>;
  return <JsonView value={value} label="State" />;
}

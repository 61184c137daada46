import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../shell/dialog.tsx";
import { parseHalf } from "./half-editor.tsx";
import { createRollout, type Rollout } from "./rollouts-api.ts";
import { searchShadows } from "./shadow-api.ts";

export interface NewRolloutProps {
  /** The query to begin with. */
  readonly query: string;
  readonly onClose: () => void;
  readonly onCreated: (name: string) => void;
}

/** The form with the typed values. */
interface Typed {
  readonly name: string;
  readonly query: string;
  readonly shadow: string;
  readonly desired: string;
  readonly waves: string;
  readonly percent: string;
  readonly minutes: string;
  readonly onFailure: Rollout["gate"]["onFailure"];
}

/** Creates a rollout. */
export function NewRolloutDialog({ query, onClose, onCreated }: NewRolloutProps): VNode {
  const [typed, setTyped] = useState<Typed>({
    name: "",
    query,
    shadow: "",
    desired: '{\n  "firmware": "2.1"\n}',
    waves: "1, 10%",
    percent: "100",
    minutes: "60",
    onFailure: "pause",
  });
  const [notice, setNotice] = useState("");
  const [isCreating, setIsCreating] = useState(false);
  const change = (changed: Partial<Typed>) => setTyped((before) => ({ ...before, ...changed }));
  const desired = parseHalf(typed.desired);
  const create = async () => {
    if ("fault" in desired || isCreating) return;
    setIsCreating(true);
    try {
      const { name, shadow, percent, minutes, onFailure } = typed;
      const gate = { succeeded: Number(percent) / 100, withinMs: Number(minutes) * 60_000, onFailure };
      const waves = wavesOf(typed.waves);
      await createRollout({ name, query: typed.query, shadow, desired: desired.document, waves, gate });
      onCreated(name);
      onClose();
    } catch (error) {
      setNotice((error as Error).message);
      setIsCreating(false);
    }
  };
  return (
    <Dialog title="New rollout" onClose={onClose} wide={true}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <TargetFields typed={typed} change={change} onCount={() => void showMatches(typed, setNotice)} />
        <label>
          Desired, as JSON; merged into the desired state of each
          <textarea
            rows={4}
            spellcheck={false}
            value={typed.desired}
            onInput={({ currentTarget }) => change({ desired: currentTarget.value })}
          />
        </label>
        <GateFields typed={typed} change={change} />
        <p class="fault" role="status">
          {"fault" in desired ? `✗ ${desired.fault}` : notice}
        </p>
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={"fault" in desired || isCreating}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldsProps {
  readonly typed: Typed;
  readonly change: (changed: Partial<Typed>) => void;
}

function TargetFields({ typed, change, onCount }: FieldsProps & { readonly onCount: () => void }): VNode {
  return (
    <>
      <label>
        Name
        <input
          required
          maxLength={128}
          pattern="[A-Za-z0-9_:\-]+"
          title="1 to 128 letters, digits, colons, underscores and hyphens"
          value={typed.name}
          onInput={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      </label>
      <div class="rollout-query">
        <label>
          Query; chooses the things once, when the rollout begins
          <input
            required
            spellcheck={false}
            placeholder={'reported.firmware < "2.1"'}
            value={typed.query}
            onInput={({ currentTarget }) => change({ query: currentTarget.value })}
          />
        </label>
        <button type="button" disabled={typed.query.trim() === ""} onClick={onCount}>
          Try it
        </button>
      </div>
      <label>
        Name of the shadows; leave it empty for the classic ones
        <input
          value={typed.shadow}
          onInput={({ currentTarget }) => change({ shadow: currentTarget.value })}
        />
      </label>
    </>
  );
}

function GateFields({ typed, change }: FieldsProps): VNode {
  return (
    <>
      <label>
        Waves: things or shares; what is left is the last wave
        <input
          placeholder="1, 10%"
          value={typed.waves}
          onInput={({ currentTarget }) => change({ waves: currentTarget.value })}
        />
      </label>
      <div class="rollout-gate">
        <label>
          Must succeed, in %
          <input
            type="number"
            required
            min="0"
            max="100"
            step="any"
            value={typed.percent}
            onInput={({ currentTarget }) => change({ percent: currentTarget.value })}
          />
        </label>
        <label>
          Within, in minutes
          <input
            type="number"
            required
            min="1"
            step="1"
            value={typed.minutes}
            onInput={({ currentTarget }) => change({ minutes: currentTarget.value })}
          />
        </label>
        <label>
          Otherwise
          <select
            value={typed.onFailure}
            onChange={({ currentTarget }) => change({ onFailure: currentTarget.value as Typed["onFailure"] })}
          >
            <option value="pause">pause</option>
            <option value="roll-back">roll back</option>
          </select>
        </label>
      </div>
    </>
  );
}

/** `1, 10%` in the form of the API. Anything else is sent unchanged, and the server reports the problem. */
function wavesOf(typed: string): readonly (number | string)[] {
  const sizes = typed
    .split(/[,\s]+/)
    .map((size) => size.trim())
    .filter((size) => size !== "");
  return sizes.map((size) => (/^\d+$/.test(size) ? Number(size) : size));
}

/** Shows which things a query currently matches. */
async function showMatches({ query, shadow }: Typed, show: (text: string) => void): Promise<void> {
  try {
    const signal = AbortSignal.timeout(30_000);
    const { rows, next } = await searchShadows("", { query, next: undefined, signal });
    const things = rows
      .filter(({ name }) => name === shadow)
      .map(({ thing }) => thing)
      .sort();
    const some = `${things.slice(0, 3).join(", ")}${things.length > 3 ? ", …" : ""}`;
    const count = `${things.length.toLocaleString()}${next === undefined ? "" : " or more"}`;
    show(
      things.length === 0 && next === undefined ? "It matches nothing now" : `It matches ${count}: ${some}`,
    );
  } catch (error) {
    show((error as Error).message);
  }
}

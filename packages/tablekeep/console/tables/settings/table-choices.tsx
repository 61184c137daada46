import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../../api/use-answer.ts";
import { confirmed } from "../../shell/confirm.tsx";
import { tellFailure, tellSuccess } from "../../shell/toasts.tsx";
import { sendChange } from "../api/send-change.ts";
import type { TableFacts } from "../api/table-facts.ts";
import { fetchTimeToLive, type TableChange } from "../api/tables-api.ts";

const streamViews = {
  "": "none",
  NEW_AND_OLD_IMAGES: "new and old images",
  NEW_IMAGE: "new images",
  OLD_IMAGE: "old images",
  KEYS_ONLY: "keys only",
};

/** Carries out a change, and reports the result. */
async function run(facts: TableFacts, change: TableChange, done: string): Promise<void> {
  try {
    await sendChange(facts, change, "stream" in change ? "stream" : "time to live");
    tellSuccess(done);
  } catch (error) {
    tellFailure(error);
  }
}

export interface StreamChoiceProps {
  readonly facts: TableFacts;
  readonly onChanged: () => void;
}

/** The view type of a table's stream. To change it, DynamoDB requires disabling the stream first. */
export function StreamChoice({ facts, onChanged }: StreamChoiceProps): VNode {
  const { name, stream = "", readOnly } = facts;
  const title = streamViews[stream as keyof typeof streamViews] ?? stream;
  if (readOnly === true) return <>{title}</>;
  const disable = async () => {
    const question = {
      title: `Disable the stream of ${name}?`,
      text: "Programs that read it get no further changes. A stream that is enabled later, or by Undo, is a new one.",
      action: "Disable",
    };
    if (!(await confirmed(question))) return;
    await run(facts, { stream: null }, "Stream disabled");
    onChanged();
  };
  if (stream !== "")
    return (
      <span class="setting">
        {title}
        <button type="button" class="plain" aria-label="Disable the stream" onClick={() => void disable()}>
          Disable…
        </button>
      </span>
    );
  return (
    <select
      aria-label="Stream"
      value=""
      onChange={({ currentTarget }) =>
        void run(facts, { stream: currentTarget.value }, "Stream enabled").then(onChanged)
      }
    >
      {Object.entries(streamViews).map(([view, text]) => (
        <option key={view} value={view}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** The attribute with the time at which items expire. */
export function TimeToLiveChoice({ facts }: { readonly facts: TableFacts }): VNode {
  const { name, readOnly } = facts;
  const [round, setRound] = useState(0);
  const answer = useAnswer((signal) => fetchTimeToLive(name, signal), [name, round]);
  const [typed, setTyped] = useState("");
  if (answer.kind === "waiting") return <span class="dim">…</span>;
  if (answer.kind === "failed") return <span class="dim">{answer.error.message}</span>;
  const { value } = answer;
  if (readOnly === true) return value === null ? <>none</> : <code>{value}</code>;
  const change = async (timeToLive: string | null, done: string) => {
    await run(facts, { timeToLive }, done);
    setRound((last) => last + 1);
  };
  const disable = async () => {
    const text = "Items do not expire any more. Those that have expired and are not deleted yet stay.";
    if (await confirmed({ title: `Disable the time to live of ${name}?`, text, action: "Disable" }))
      await change(null, "Time to live disabled");
  };
  if (value !== null)
    return (
      <span class="setting">
        <code>{value}</code>
        <button
          type="button"
          class="plain"
          aria-label="Disable the time to live"
          onClick={() => void disable()}
        >
          Disable…
        </button>
      </span>
    );
  return (
    <form
      class="setting"
      onSubmit={(event) => {
        event.preventDefault();
        void change(typed.trim(), "Time to live enabled");
      }}
    >
      <input
        class="setting-name"
        aria-label="Attribute of the time to live"
        placeholder="off: attribute"
        title="A number attribute with seconds since 1970: items are deleted after that time"
        required
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <button type="submit">Enable</button>
    </form>
  );
}

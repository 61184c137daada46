import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../shell/dialog.tsx";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import { useStore } from "../shell/use-store.ts";
import { type ChaosSettings, chaos, startChaos, stopChaos } from "./chaos-state.ts";

type Chance = Exclude<keyof ChaosSettings, "linkSpeedMin" | "linkSpeedMax">;

const chances: Readonly<Record<Chance, string>> = {
  acceptChance: "Accept a connection",
  disconnectChance: "Disconnect, at each command",
  rejectSenderChance: "Reject a sender",
  rejectRecipientChance: "Reject a recipient",
  rejectAuthChance: "Reject a sign-in",
  linkSpeedAffect: "Slow a connection down",
};

/** The faults that depend on the inbox, which a client names after it has connected. */
const ofInbox: readonly string[] = ["rejectSenderChance", "rejectRecipientChance"];

export interface ChaosDialogProps {
  /** The inbox whose senders get the faults; "" is the whole server. */
  readonly inbox: string;
  readonly onClose: () => void;
}

/** Controls fault injection in SMTP, to test how a program handles it. */
export function ChaosDialog({ inbox, onClose }: ChaosDialogProps): VNode {
  const { settings: current, defaults } = useStore(chaos);
  const shown = Object.entries(chances).filter(([name]) => inbox === "" || ofInbox.includes(name));
  const [changes, setChanges] = useState<Partial<ChaosSettings>>({});
  const attempt = async (run: () => Promise<void>, done: string) => {
    try {
      await run();
      tellSuccess(done);
      onClose();
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <Dialog title="SMTP fault injection" onClose={onClose}>
      <p>
        The SMTP server injects faults with these probabilities
        {inbox !== "" && ` for clients that sign in for the inbox ${inbox}`}, so that you can test how your
        program handles them. MailHog calls this Jim.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(
            () => startChaos(inbox, { ...current, ...changes }),
            current === undefined ? "Chaos started" : "Chaos changed",
          );
        }}
      >
        <div class="chances">
          {shown.map(([name, title]) => (
            <ChanceField
              key={name}
              title={title}
              chance={{ ...defaults, ...current, ...changes }[name as Chance]}
              onChange={(chance) => setChanges({ ...changes, [name]: chance })}
            />
          ))}
        </div>
        <div class="actions">
          {current !== undefined && (
            <button
              type="button"
              class="danger"
              onClick={() => void attempt(() => stopChaos(inbox), "Chaos stopped")}
            >
              Stop chaos
            </button>
          )}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            {current === undefined ? "Start chaos" : "Change"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ChanceFieldProps {
  readonly title: string;
  /** undefined if the server has not reported it. */
  readonly chance: number | undefined;
  readonly onChange: (chance: number) => void;
}

function ChanceField({ title, chance, onChange }: ChanceFieldProps): VNode {
  return (
    <label class="chance">
      <span>{title}</span>
      <span class="percent">
        <input
          type="number"
          min="0"
          max="100"
          step="any"
          required
          value={chance === undefined ? "" : String(Math.round(chance * 10_000) / 100)}
          onInput={({ currentTarget }) => {
            if (currentTarget.value !== "") onChange(Number(currentTarget.value) / 100);
          }}
        />
        %
      </span>
    </label>
  );
}

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../shell/dialog.tsx";
import { useStore } from "../shell/store.ts";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import { type ChaosSettings, chaos, startChaos, stopChaos } from "./chaos.ts";

type Chance = Exclude<keyof ChaosSettings, "linkSpeedMin" | "linkSpeedMax">;

const chances: Readonly<Record<Chance, string>> = {
  acceptChance: "Accept a connection",
  disconnectChance: "Disconnect, at each command",
  rejectSenderChance: "Refuse a sender",
  rejectRecipientChance: "Refuse a recipient",
  rejectAuthChance: "Refuse a sign-in",
  linkSpeedAffect: "Slow a connection down",
};

/** What MailHog's Jim does if nobody tells him otherwise. */
const usual: ChaosSettings = {
  acceptChance: 0.99,
  disconnectChance: 0.005,
  linkSpeedAffect: 0.1,
  linkSpeedMin: 1_024,
  linkSpeedMax: 10_240,
  rejectSenderChance: 0.05,
  rejectRecipientChance: 0.05,
  rejectAuthChance: 0.05,
};

/** Lets SMTP misbehave on purpose, to see how a program takes it. */
export function ChaosDialog({ onClose }: { readonly onClose: () => void }): VNode {
  const current = useStore(chaos);
  const [settings, setSettings] = useState<ChaosSettings>(current ?? usual);
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
    <Dialog title="Chaos" onClose={onClose}>
      <p>
        SMTP misbehaves on purpose, as often as you say, so that you see how your program takes it. MailHog
        calls this Jim.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(
            () => startChaos(settings),
            current === undefined ? "Chaos has begun" : "Chaos has changed",
          );
        }}
      >
        <div class="chances">
          {Object.entries(chances).map(([name, title]) => (
            <ChanceField
              key={name}
              title={title}
              chance={settings[name as Chance]}
              onChange={(chance) => setSettings({ ...settings, [name]: chance })}
            />
          ))}
        </div>
        <div class="actions">
          {current !== undefined && (
            <button
              type="button"
              class="danger"
              onClick={() => void attempt(stopChaos, "SMTP behaves again")}
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
  readonly chance: number;
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
          value={String(Math.round(chance * 10_000) / 100)}
          onInput={({ currentTarget }) => {
            if (currentTarget.value !== "") onChange(Number(currentTarget.value) / 100);
          }}
        />
        %
      </span>
    </label>
  );
}

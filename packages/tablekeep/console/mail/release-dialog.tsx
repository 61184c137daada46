import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { callApi } from "../api/call-api.ts";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { CopyCommand } from "../parts/copy-command.tsx";
import { Dialog } from "../shell/dialog.tsx";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import { mailPath } from "./mail-message.ts";

interface Relay {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly email?: string;
}

export interface ReleaseDialogProps {
  readonly inbox: string;
  /** The API path of the message. */
  readonly path: string;
  readonly onClose: () => void;
}

/** Sends a message to recipients, separated by commas, through a configured relay. */
export function ReleaseDialog({ inbox, path, onClose }: ReleaseDialogProps): VNode {
  const answer = useAnswer(
    (signal) => callApi<{ relays: readonly Relay[] }>(`${mailPath(inbox)}/relays`, { signal }),
    [inbox],
  );
  return (
    <Dialog title="Release this message" onClose={onClose}>
      <AnswerView answer={answer}>
        {({ relays }) =>
          relays.length === 0 ? (
            <NoRelays onClose={onClose} />
          ) : (
            <ReleaseForm relays={relays} path={path} onClose={onClose} />
          )
        }
      </AnswerView>
    </Dialog>
  );
}

function NoRelays({ onClose }: { readonly onClose: () => void }): VNode {
  return (
    <>
      <p>
        Messages are released through configured relays only. Start the server with a JSON file that has the
        relays by name:
      </p>
      <CopyCommand command={'{ "office": { "Host": "smtp.example.org", "Port": "587" } }'} />
      <CopyCommand command="npx tablekeep serve --outgoing-smtp relays.json" />
      <div class="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </>
  );
}

function ReleaseForm({
  relays,
  path,
  onClose,
}: Omit<ReleaseDialogProps, "inbox"> & { readonly relays: readonly Relay[] }): VNode {
  const [name, setName] = useState(relays[0]?.name ?? "");
  const [to, setTo] = useState("");
  const [isSending, setIsSending] = useState(false);
  const relay = relays.find((each) => each.name === name);
  const release = async () => {
    setIsSending(true);
    try {
      const recipients = to.split(/[\s,;]+/).filter((address) => address !== "");
      const body = { relay: name, ...(recipients.length > 0 && { to: recipients }) };
      await callApi(`${path}/release`, { method: "POST", body });
      tellSuccess(`Released to ${to || relay?.email || name}`);
      onClose();
    } catch (error) {
      tellFailure(error);
      setIsSending(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void release();
      }}
    >
      <label>
        Relay
        <select value={name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
          {relays.map((each) => (
            <option key={each.name} value={each.name}>
              {each.name} ({each.host}:{each.port})
            </option>
          ))}
        </select>
      </label>
      <label>
        Recipient
        <input
          value={to}
          placeholder={relay?.email ?? "name@example.com"}
          required={relay?.email === undefined}
          onInput={({ currentTarget }) => setTo(currentTarget.value)}
        />
      </label>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={isSending}>
          {isSending ? "Sending…" : "Release"}
        </button>
      </div>
    </form>
  );
}

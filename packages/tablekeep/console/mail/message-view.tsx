import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { callApi, servedPath } from "../api/call-api.ts";
import { isNotFound, useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { Detail } from "../parts/detail.tsx";
import { longTime, showSize } from "../parts/show-values.ts";
import type { MailMarks } from "./mail-message.ts";
import { addressText, type MailMessage, messagePath } from "./mail-message.ts";
import { MessageBody } from "./message-body.tsx";
import { MessageTags } from "./message-tags.tsx";
import { ReleaseDialog } from "./release-dialog.tsx";

export interface MessageViewProps {
  /** The inbox that it is in. */
  readonly inbox: string;
  readonly id: string;
  /** The list that it was opened from. */
  readonly back: string;
  /** Whether it was deleted while it was shown. */
  readonly isDeleted: boolean;
  /** Its marks, if they were changed while it was shown. */
  readonly marks: MailMarks | undefined;
  readonly onMarks: (marks: MailMarks) => void;
  readonly onDelete: () => void;
}

/** One message. */
export function MessageView(props: MessageViewProps): VNode {
  const { inbox, id, back, isDeleted, marks, onMarks, onDelete } = props;
  const path = messagePath(inbox, id);
  const answer = useAnswer((signal) => callApi<MailMessage>(path, { signal }), [path]);
  const [isReleasing, setIsReleasing] = useState(false);
  const actions = (
    <>
      {answer.kind === "ready" && (
        <button type="button" onClick={() => setIsReleasing(true)}>
          Release…
        </button>
      )}
      <a class="button" href={servedPath(`${path}/raw`)} download>
        Download
      </a>
      <button type="button" class="danger" onClick={onDelete}>
        Delete
      </button>
    </>
  );
  if (isDeleted) {
    return (
      <Detail title="Message deleted" back={back}>
        <p class="dim">This message has been deleted.</p>
      </Detail>
    );
  }
  if (isNotFound(answer)) {
    return (
      <Detail title="Message not found" back={back}>
        <p class="dim">
          It was deleted or has expired, or it is in another inbox. <a href={back}>Show the messages</a>
        </p>
      </Detail>
    );
  }
  // A message that cannot be read can still be downloaded and deleted.
  if (answer.kind === "failed") {
    return (
      <Detail title="Cannot read the message" back={back} actions={actions}>
        <AnswerView answer={answer}>{() => null}</AnswerView>
      </Detail>
    );
  }
  return (
    <AnswerView answer={answer}>
      {(message) => (
        <Detail title={message.subject || "(no subject)"} back={back} actions={actions}>
          {message.decodeError !== undefined && (
            <p class="notice" role="alert">
              This message cannot be decoded: {message.decodeError.error}. Its source is below, and it can be
              downloaded.
            </p>
          )}
          <MessageFacts message={message} />
          <MessageTags path={path} tags={(marks ?? message).tags} onChange={onMarks} />
          <Attachments message={message} path={path} />
          <MessageBody message={message} path={path} />
          {isReleasing && <ReleaseDialog inbox={inbox} path={path} onClose={() => setIsReleasing(false)} />}
        </Detail>
      )}
    </AnswerView>
  );
}

function MessageFacts({ message }: { readonly message: MailMessage }): VNode {
  const { addresses, envelope, created, size } = message;
  const named = [...addresses.to, ...addresses.cc].map(({ address }) => address);
  // Blind copies, lists and aliases: recipients that the headers do not name.
  const others = envelope.to.filter((address) => !named.includes(address));
  const facts: Readonly<Record<string, string>> = {
    From: addressText(addresses.from) || message.from || envelope.from || "(no sender)",
    To: addressText(addresses.to) || message.to,
    Cc: addressText(addresses.cc),
    "Reply to": addressText(addresses.replyTo),
    "Sent to": others.length === 0 ? "" : envelope.to.join(", "),
    Received: `${longTime(created)} from ${envelope.helo || "an unknown host"}, ${showSize(size)}`,
  };
  return (
    <dl class="message-facts">
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== "" && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

interface AttachmentsProps {
  readonly message: MailMessage;
  /** Its API path. */
  readonly path: string;
}

function Attachments({ message: { attachments }, path }: AttachmentsProps): VNode | null {
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments" aria-label="Attachments">
      {attachments.map(({ index, filename, type, size }) => (
        <li key={index}>
          <a class="button" href={servedPath(`${path}/attachments/${index}`)} download title={type}>
            <span>{filename || `attachment ${index + 1}`}</span>
            <small class="dim">{showSize(size)}</small>
          </a>
        </li>
      ))}
    </ul>
  );
}

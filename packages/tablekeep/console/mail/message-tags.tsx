import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { MailMarks } from "./mail-message.ts";
import { changeTags } from "./mark-requests.ts";

export interface MessageTagsProps {
  /** The API path of the message. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly onChange: (marks: MailMarks) => void;
}

/** The tags of a message, each with a button that removes it, and a field for another. */
export function MessageTags({ path, tags, onChange }: MessageTagsProps): VNode {
  const [text, setText] = useState("");
  const change = async (wanted: Parameters<typeof changeTags>[1]) => {
    const marks = await changeTags(path, wanted);
    if (marks !== undefined) onChange(marks);
    return marks !== undefined;
  };
  const add = async () => {
    const addTags = text
      .split(",")
      .map((tag) => tag.trim().replaceAll(/\s+/g, " "))
      .filter((tag) => tag !== "");
    if (addTags.length > 0 && (await change({ addTags }))) setText("");
  };
  return (
    <div class="message-tags">
      {tags.map((tag) => (
        <span class="tag" key={tag}>
          {tag}
          <button
            type="button"
            class="plain"
            aria-label={`Remove the tag ${tag}`}
            onClick={() => void change({ removeTags: [tag] })}
          >
            ×
          </button>
        </span>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <input
          aria-label="Add a tag"
          placeholder="Add a tag"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </form>
    </div>
  );
}

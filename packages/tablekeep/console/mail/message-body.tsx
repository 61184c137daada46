import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { servedPath } from "../api/call-api.ts";
import { readBeginning, shownCharacters } from "../api/read-beginning.ts";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { LintView } from "./lint-view.tsx";
import type { MailMessage } from "./mail-message.ts";
import { hasRemoteContent, messageLinks } from "./message-links.ts";
import { StructureView } from "./structure-view.tsx";

type View = "html" | "text" | "source" | "headers" | "structure" | "links" | "lint";

/** The view that was chosen last stays for the next message. */
let lastView: View = "html";

interface MessageProps {
  readonly message: MailMessage;
  /** Its API path. */
  readonly path: string;
}

/** The body of a message, in one of several views. */
export function MessageBody({ message, path }: MessageProps): VNode {
  const [wanted, setWanted] = useState(lastView);
  const isDecoded = message.decodeError === undefined;
  const hasHtml = message.html !== "";
  const links = messageLinks(message);
  const isThere = {
    html: hasHtml,
    text: isDecoded,
    source: true,
    headers: true,
    structure: true,
    links: links.length > 0,
    lint: true,
  }[wanted];
  const view = isThere ? wanted : isDecoded ? "text" : "source";
  return (
    <>
      <Tabs
        label="Views of the message"
        chosen={view}
        onChoose={(chosen: View) => {
          lastView = chosen;
          setWanted(chosen);
        }}
        tabs={[
          { name: "html", title: "HTML", disabled: !hasHtml },
          { name: "text", title: "Text", disabled: !isDecoded },
          { name: "source", title: "Source" },
          { name: "headers", title: "Headers" },
          { name: "structure", title: "Structure" },
          ...(links.length === 0 ? [] : [{ name: "links" as const, title: `Links (${links.length})` }]),
          { name: "lint", title: "Lint" },
        ]}
      />
      <div class="message-panel" role="tabpanel" aria-label={view}>
        {view === "html" && <HtmlView key={message.id} message={message} path={path} />}
        {view === "text" && <TextView message={message} />}
        {view === "source" && <SourceView path={path} />}
        {view === "headers" && <HeadersView message={message} />}
        {view === "structure" && <StructureView path={path} />}
        {view === "links" && <LinksView links={links} />}
        {view === "lint" && <LintView path={path} />}
      </div>
    </>
  );
}

const frameWidths = { full: "Full width", phone: "Phone" };
const frameColors = { light: "Light", dark: "Dark" };

/** The settings of the preview. The last choice stays for the next message. */
let lastLook: { readonly width: keyof typeof frameWidths; readonly colors: keyof typeof frameColors } = {
  width: "full",
  colors: "light",
};

/** The page of the sender, cleaned by the server, in a frame that may do nothing but open links in a new tab. */
function HtmlView({ message, path }: MessageProps): VNode {
  const [remote, setRemote] = useState(false);
  const [look, setLook] = useState(lastLook);
  const choose = (changed: Partial<typeof lastLook>) => {
    lastLook = { ...look, ...changed };
    setLook(lastLook);
  };
  return (
    <>
      <div class="preview-tools">
        <Choice
          label="Width"
          titles={frameWidths}
          chosen={look.width}
          onChoose={(width) => choose({ width })}
        />
        <Choice
          label="Colors"
          titles={frameColors}
          chosen={look.colors}
          onChoose={(colors) => choose({ colors })}
        />
      </div>
      {hasRemoteContent(message.html) && (
        <div class="remote-content">
          <span>
            {remote ? "Remote images are shown. The sender may notice." : "Remote images are blocked."}
          </span>
          <button type="button" aria-pressed={remote} onClick={() => setRemote(!remote)}>
            {remote ? "Hide them" : "Load remote images"}
          </button>
        </div>
      )}
      <iframe
        key={`${remote} ${look.colors}`}
        class={`message-frame ${look.width}`}
        title="The message as HTML"
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        src={servedPath(`${path}/html?colors=${look.colors}${remote ? "&remote=true" : ""}`)}
      />
    </>
  );
}

interface ChoiceProps<Name extends string> {
  readonly label: string;
  readonly titles: Readonly<Record<Name, string>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

function Choice<Name extends string>({ label, titles, chosen, onChoose }: ChoiceProps<Name>): VNode {
  return (
    <fieldset>
      <legend class="unseen">{label}</legend>
      {(Object.entries(titles) as [Name, string][]).map(([name, title]) => (
        <button
          key={name}
          type="button"
          class="plain"
          aria-pressed={name === chosen}
          onClick={() => onChoose(name)}
        >
          {title}
        </button>
      ))}
    </fieldset>
  );
}

function TextView({ message: { text } }: { readonly message: MailMessage }): VNode {
  if (text.trim() === "") return <p class="dim">The message has no text part.</p>;
  return <LongText text={text.slice(0, shownCharacters)} isCut={text.length > shownCharacters} />;
}

function SourceView({ path }: { readonly path: string }): VNode {
  const answer = useAnswer((signal) => readBeginning(`${path}/raw`, signal), [path]);
  return <AnswerView answer={answer}>{(beginning) => <LongText {...beginning} />}</AnswerView>;
}

function LongText({ text, isCut }: { readonly text: string; readonly isCut: boolean }): VNode {
  return (
    <>
      <pre class="message-text">{text}</pre>
      {isCut && <p class="dim">Only the beginning is shown. Download the message to see all of it.</p>}
    </>
  );
}

function HeadersView({ message: { headers } }: { readonly message: MailMessage }): VNode {
  return (
    <dl class="message-headers">
      {headers.map(({ name, value }, at) => (
        <div key={`${at}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function LinksView({ links }: { readonly links: readonly string[] }): VNode {
  return (
    <ul class="message-links">
      {links.map((link) => (
        <li key={link}>
          <a href={link} target="_blank" rel="noopener noreferrer">
            {link}
          </a>
        </li>
      ))}
    </ul>
  );
}

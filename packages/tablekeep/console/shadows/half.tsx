import type { VNode } from "preact";
import { type ComparedLine, compareLines, type Match } from "../json/compare-lines.ts";
import { Printed } from "../json/json-view.tsx";

export interface HalfProps {
  readonly title: string;
  readonly document: Readonly<Record<string, unknown>> | undefined;
  /** The half that it is compared with. */
  readonly counterpart: Readonly<Record<string, unknown>> | undefined;
  /** Shown if there is no document. */
  readonly nothing: string;
}

const signs: Readonly<Record<Match, string>> = { same: "=", other: "≠", alone: "+" };
const words: Readonly<Record<Match, string>> = { same: "same", other: "differs", alone: "only here" };
/** Lines in the page; AWS allows no shadow that is longer. */
const maxLines = 1_000;

/** One half of a shadow, line by line beside the other: each value with a sign and a color. */
export function Half({ title, document, counterpart, nothing }: HalfProps): VNode {
  const lines = document === undefined ? [] : compareLines(document, counterpart ?? {});
  return (
    <section class="half">
      <h2>{title}</h2>
      {document === undefined ? (
        <p class="dim">{nothing}</p>
      ) : (
        <Printed label={title}>
          {lines.slice(0, maxLines).map((line, at) => (
            <Line key={`${at}`} {...line} />
          ))}
        </Printed>
      )}
      {lines.length > maxLines && <p class="dim">The first {maxLines} lines.</p>}
    </section>
  );
}

function Line({ match, text }: ComparedLine): VNode {
  return (
    <span class={`half-line ${match ?? ""}`}>
      <span class={`match ${match ?? ""}`} aria-hidden="true">
        {match === undefined ? " " : signs[match]}
      </span>
      {`${text}\n`}
      {match !== undefined && match !== "same" && <span class="unseen"> {words[match]}</span>}
    </span>
  );
}

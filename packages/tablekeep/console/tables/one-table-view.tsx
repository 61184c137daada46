import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isNotFound, useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ListHead } from "../parts/list-head.tsx";
import { connection } from "../shell/connection.ts";
import { placeOf } from "../shell/route.ts";
import { useStore } from "../shell/use-store.ts";
import type { TableFacts } from "./api/table-facts.ts";
import { lastChange } from "./api/table-undo.ts";
import { fetchTable } from "./api/tables-api.ts";
import { UndoButton } from "./api/undo-button.tsx";
import { ChangesView } from "./changes-view.tsx";
import { ItemsView } from "./items-view.tsx";
import { PartiqlView } from "./partiql-view.tsx";
import { TableSummary } from "./settings/table-summary.tsx";

export interface OneTableViewProps {
  readonly table: string;
  /** What is shown: a view by its name, or the open item, by its key in DynamoDB's JSON. */
  readonly part: string | undefined;
  readonly query: URLSearchParams;
}

/** The views of a table, by the part of the address. Keys of items begin with a brace. */
const views = { "": "Items", partiql: "PartiQL", changes: "Changes", about: "About" } as const;

/** A table whose changes are followed may be deleted: that changes no item, so it is not among the changes. In milliseconds. */
const followedMs = 3_000;

/** One table: its items, statements, changes and facts. */
export function OneTableView({ table, part, query }: OneTableViewProps): VNode {
  const [round, setRound] = useState(0);
  const answer = useAnswer((signal) => fetchTable(table, signal), [table, round]);
  const state = useStore(connection);
  useEffect(() => {
    // The stream of a table that was deleted breaks, too.
    if (state === "offline") setRound((last) => last + 1);
  }, [state]);
  const isFollowed = part === "changes";
  useEffect(() => {
    if (!isFollowed) return;
    const timer = setInterval(() => {
      if (!document.hidden) setRound((last) => last + 1);
    }, followedMs);
    return () => clearInterval(timer);
  }, [isFollowed]);
  // While the server cannot be reached, what is shown stays.
  const known = useRef(answer);
  if (answer.kind === "ready") known.current = answer;
  if (isNotFound(answer))
    return (
      <EmptyState title={`Table “${table}” not found`}>
        <p>
          It may have been deleted, or the address has a typo. See{" "}
          <a href={placeOf(["tables"])}>the tables of this server</a>.
        </p>
      </EmptyState>
    );
  return (
    <AnswerView answer={known.current.kind === "ready" ? known.current : answer}>
      {(facts) => <KnownTable {...{ facts, part, query }} onChanged={() => setRound((last) => last + 1)} />}
    </AnswerView>
  );
}

interface KnownTableProps extends Omit<OneTableViewProps, "table"> {
  readonly facts: TableFacts;
  /** Called when the table has other indexes or settings, or may be gone. */
  readonly onChanged: () => void;
}

function KnownTable({ facts, part, query, onChanged }: KnownTableProps): VNode {
  const [undone, setUndone] = useState(0);
  const onUndone = () => {
    setUndone((last) => last + 1);
    onChanged();
  };
  const head = (tools?: ComponentChildren) => (
    <TableHead
      table={facts.name}
      view={part !== undefined && part in views ? part : ""}
      tools={
        <>
          <UndoButton find={(all) => lastChange(all, facts.name)} onUndone={onUndone} />
          {tools}
        </>
      }
    />
  );
  if (part === "partiql") return <PartiqlView facts={facts} head={head()} query={query} />;
  if (part === "changes") return <ChangesView facts={facts} head={head()} query={query} />;
  if (part === "about")
    return <TableSummary table={facts.name} head={head()} undone={undone} onChanged={onChanged} />;
  return <ItemsView {...{ facts, head, part, query, undone }} onGone={onChanged} />;
}

interface TableHeadProps {
  readonly table: string;
  readonly view: string;
  readonly tools?: ComponentChildren;
}

function TableHead({ table, view, tools }: TableHeadProps): VNode {
  return (
    <ListHead title={table} up={placeOf(["tables"])}>
      <nav class="views" aria-label="Views of the table">
        {Object.entries(views).map(([name, title]) => (
          <a
            key={name}
            href={placeOf(name === "" ? ["tables", table] : ["tables", table, name])}
            aria-current={name === view ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <span class="table-tools">{tools}</span>
    </ListHead>
  );
}

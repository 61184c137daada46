import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../api/call-api.ts";
import { JsonView } from "../json/json-view.tsx";
import { type CursorRows, cursorRows } from "../list/cursor-rows.ts";
import { useRows } from "../list/use-rows.ts";
import { Detail } from "../parts/detail.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { counted } from "../parts/show-values.ts";
import { SplitView } from "../parts/split-view.tsx";
import { confirmed } from "../shell/confirm.tsx";
import { placeOf } from "../shell/route.ts";
import { useStore } from "../shell/use-store.ts";
import type { TableFacts, WireItem, WireValue } from "./api/table-facts.ts";
import { makeUndoable } from "./api/table-undo.ts";
import { isSelect, runStatement } from "./api/tables-api.ts";
import { addItems, type KnownColumns } from "./grid/grid-columns.ts";
import { ItemGrid } from "./grid/item-grid.tsx";
import { plainItem } from "./items/plain-item.ts";
import { parseValues } from "./items/typed-item.ts";

export interface PartiqlViewProps {
  readonly facts: TableFacts;
  readonly head: VNode;
  /** `row` is the open result. */
  readonly query: URLSearchParams;
}

/** A statement to run. */
interface Run {
  readonly statement: string;
  readonly parameters: readonly WireValue[];
  /** Increases with each run. */
  readonly round: number;
}

/** Runs PartiQL statements, and shows what they return. */
export function PartiqlView({ facts, head, query }: PartiqlViewProps): VNode {
  const [run, setRun] = useState<Run>();
  const [units, setUnits] = useState(0);
  const [columns, setColumns] = useState<KnownColumns>(new Map());
  const rows = useRows(
    () =>
      resultRows(facts, run, (page, isFirst) => {
        setUnits((before) => (isFirst ? 0 : before) + page.units);
        setColumns((before) => addItems(isFirst ? new Map() : before, page.items));
      }),
    [run],
  );
  const place = ["tables", facts.name, "partiql"];
  const open = query.get("row") ?? undefined;
  const shown = open === undefined ? undefined : findRow(rows, open);
  const { count = 0, mayBeMore, error } = useStore(rows.state);
  const hasNoResponse = error instanceof ApiError && error.status === 0;
  return (
    <SplitView
      tools={
        <>
          {head}
          <StatementForm
            facts={facts}
            onRun={(asked) => setRun({ ...asked, round: (run?.round ?? 0) + 1 })}
          />
        </>
      }
      list={
        run === undefined ? (
          <EmptyState title="PartiQL">
            <p>
              One SELECT, INSERT, UPDATE or DELETE, as DynamoDB runs it. Parameters replace the question
              marks. Ctrl + Enter runs the statement.
            </p>
          </EmptyState>
        ) : (
          <ItemGrid
            key={run.round}
            table={`${facts.name}/partiql`}
            keys={[]}
            rows={rows}
            columns={columns}
            keyOf={resultKey}
            hrefOf={(item) => placeOf(place, { row: resultKey(item) })}
            openKey={open}
            empty={<EmptyState title="Done">The statement returned no items.</EmptyState>}
            failure={hasNoResponse ? "No response" : "The statement failed"}
            foot={`${counted(count, "item")}${mayBeMore ? " so far" : ""}, ${counted(units, "capacity unit")}`}
          />
        )
      }
      detail={
        shown && (
          <Detail title={`Result ${Number(open) + 1}`} back={placeOf(place)}>
            <JsonView value={plainItem(shown)} label="Item" />
          </Detail>
        )
      }
      openKey={open}
    />
  );
}

/** The index identifies each result: nothing in it need be unique. */
const places = new WeakMap<WireItem, number>();
const resultKey = (item: WireItem): string => String(places.get(item) ?? 0);

function findRow(rows: CursorRows<WireItem>, key: string): WireItem | undefined {
  return rows.rowAt(Number(key));
}

type Page = Awaited<ReturnType<typeof runStatement>>;

function resultRows(
  facts: TableFacts,
  run: Run | undefined,
  onPage: (page: Page, isFirst: boolean) => void,
): CursorRows<WireItem> {
  let read = 0;
  const rows = cursorRows<WireItem>({
    keyOf: resultKey,
    async fetchPage(cursor, signal) {
      if (run === undefined) return { rows: [] };
      const { statement, parameters } = run;
      const send = (undo?: string) => runStatement({ statement, parameters, next: cursor, undo }, signal);
      const isKept = facts.undo === true && !isSelect(statement);
      const page = await (isKept
        ? makeUndoable({ table: tableIn(statement), what: "statement" }, send)
        : send());
      if (cursor === undefined) read = 0;
      for (const item of page.items) places.set(item, read++);
      onPage(page, cursor === undefined);
      return { rows: page.items, next: page.next };
    },
  });
  // A statement that failed may have been applied: running it again is confirmed like the first time.
  const reload = async () => {
    if (run === undefined || (await mayRun(facts, run.statement))) rows.reload();
  };
  return { ...rows, reload: () => void reload() };
}

/** Asks before a statement that may change items. */
async function mayRun({ undo }: TableFacts, statement: string): Promise<boolean> {
  const question = {
    title: "Run this statement?",
    text:
      undo === true
        ? "It may change an item. You can undo that, unless someone else changes the item afterwards."
        : "It may change items, and that cannot be undone: the data is in another DynamoDB.",
    action: "Run",
  };
  return isSelect(statement) || (await confirmed(question));
}

/** The table that a statement writes to. */
function tableIn(statement: string): string {
  const [, quoted, plain] = /(?:INTO|UPDATE|FROM)\s+(?:"([\w.-]+)"|(\w+))/i.exec(statement) ?? [];
  return quoted ?? plain ?? "";
}

interface StatementFormProps {
  readonly facts: TableFacts;
  readonly onRun: (asked: Omit<Run, "round">) => void;
}

function StatementForm({ facts, onRun }: StatementFormProps): VNode {
  const [statement, setStatement] = useState(`SELECT * FROM "${facts.name}"`);
  const [parameters, setParameters] = useState("");
  const typed = parseValues(parameters);
  const submit = async () => {
    if ("fault" in typed || statement.trim() === "") return;
    if (await mayRun(facts, statement)) onRun({ statement, parameters: typed.values });
  };
  return (
    <form
      class="statement-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      onKeyDown={(event) => {
        if ((event.ctrlKey || event.metaKey) && event.key === "Enter") event.currentTarget.requestSubmit();
      }}
    >
      <label>
        Statement
        <textarea
          rows={3}
          spellcheck={false}
          value={statement}
          onInput={({ currentTarget }) => setStatement(currentTarget.value)}
        />
      </label>
      <label>
        Parameters, as JSON
        <textarea
          rows={3}
          spellcheck={false}
          placeholder={'["ann", 5]'}
          aria-invalid={"fault" in typed}
          value={parameters}
          onInput={({ currentTarget }) => setParameters(currentTarget.value)}
        />
      </label>
      <div class="query-end">
        <span class="fault" role="status">
          {"fault" in typed && typed.fault}
        </span>
        <button type="submit" class="primary" disabled={"fault" in typed}>
          Run
        </button>
      </div>
    </form>
  );
}

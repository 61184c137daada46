import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { servedPath } from "../../api/call-api.ts";
import { counted } from "../../parts/show-values.ts";
import { confirmed, type Question } from "../../shell/confirm.tsx";
import { tellFailure, tellSuccess } from "../../shell/toasts.tsx";
import { importFile } from "../api/import-file.ts";
import type { TableFacts } from "../api/table-facts.ts";
import { newUndoId, rememberKept } from "../api/table-undo.ts";
import { exportPath } from "../api/tables-api.ts";

export interface TableTransferProps {
  readonly facts: TableFacts;
  readonly onImported: () => void;
}

/** A larger file cannot be undone: the server keeps what an import stores and replaces in memory, up to this size. */
const undoableBytes = 32 * 1024 * 1024;

function finalImport({ name }: File, { undo }: TableFacts): Question {
  const reason = undo === true ? "the file has more than 32 MB" : "the data is in another DynamoDB";
  return {
    title: `Import ${name}?`,
    text: `It replaces items with the same keys. This cannot be undone: ${reason}.`,
    action: "Import",
  };
}

function tooLarge({ name }: File): Question {
  return {
    title: `Import all of ${name}?`,
    text: "What it stores and replaces is more than the server keeps. If you continue, none of this import can be undone. If not, it stops here, and what is stored can be undone.",
    action: "Continue",
  };
}

/** Saves all items of a table in a file, and stores those of a file. */
export function TableTransfer({ facts, onImported }: TableTransferProps): VNode {
  const file = useRef<HTMLInputElement>(null);
  const [running, setRunning] = useState<{ readonly text: string; readonly stop: () => void }>();
  const load = async (chosen: File) => {
    const isKept = facts.undo === true && chosen.size <= undoableBytes;
    if (!isKept && !(await confirmed(finalImport(chosen, facts)))) return;
    const life = new AbortController();
    const stop = () => life.abort();
    setRunning({ text: "Importing…", stop });
    const result = await importFile(facts.name, chosen, {
      signal: life.signal,
      undo: isKept ? newUndoId() : undefined,
      onTooLarge: () => confirmed(tooLarge(chosen)),
      onProgress: (items, part) =>
        setRunning({ text: `Imported ${counted(items, "item")}, ${Math.floor(part * 100)} %`, stop }),
    });
    setRunning(undefined);
    if (result.undo !== undefined)
      rememberKept(result.undo, { table: facts.name, what: `import of ${chosen.name}` });
    const stored = `${result.mayBeMore ? "At least " : ""}${counted(result.items, "item")} ${result.items === 1 ? "was" : "were"} stored`;
    if (result.error === undefined) tellSuccess(stored);
    else tellFailure(`${result.error.message}. ${stored}; importing the file again is safe.`);
    onImported();
  };
  return (
    <>
      <h2>Export and import</h2>
      <p class="dim">One item per line, in DynamoDB JSON. An import replaces items with the same keys.</p>
      <div class="transfer">
        <button type="button" onClick={() => location.assign(servedPath(exportPath(facts.name)))}>
          Export
        </button>
        {facts.readOnly !== true && (
          <>
            <input
              ref={file}
              class="unseen"
              type="file"
              accept=".jsonl,.ndjson,.json"
              aria-label="File with items"
              tabIndex={-1}
              onChange={({ currentTarget }) => {
                const chosen = currentTarget.files?.[0];
                currentTarget.value = "";
                if (chosen !== undefined) void load(chosen);
              }}
            />
            <button type="button" disabled={running !== undefined} onClick={() => file.current?.click()}>
              Import…
            </button>
          </>
        )}
        {running !== undefined && (
          <>
            <span role="status">{running.text}</span>
            <button type="button" class="plain" onClick={running.stop}>
              Stop
            </button>
          </>
        )}
      </div>
    </>
  );
}

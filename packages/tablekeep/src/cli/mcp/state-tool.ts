import { silentLogger, systemClock } from "@tablekeep/core";
import { CliError } from "../frame/cli-error.ts";
import { findJournal } from "../journal/find-journal.ts";
import { boundedRows, type Chunk } from "./bounded-rows.ts";
import { schemas, type Tool, textOf } from "./tool.ts";

/** Rebuilds states by the definitions of the setting `entities`. */
export const stateTool: Tool = {
  name: "read_state",
  description:
    "Returns the state of an entity after an event, as the application's own definition rebuilds it. Needs the setting entities.",
  input: {
    journal: schemas.text("Table of the journal (default: the one of the settings, or the only one)."),
    id: schemas.text("Persistence id."),
    at: {
      type: "integer",
      minimum: 0,
      description: "Sequence number of the last event to apply; 0 for none (default: all).",
    },
  },
  optional: ["journal", "at"],
  async run(args, { flags, io, maxBytes }) {
    const { journalTableSpec } = await import("@tablekeep/journal");
    const { openEntityFolds } = await import("../../server/entity-folds/entity-folds.ts");
    await using found = await findJournal({ ...flags, table: textOf(args, "journal") }, io);
    const { port, journal, table, store } = found;
    const { settings, stores } = store.config;
    const { entities: path } = settings;
    if (path === undefined)
      throw new CliError(
        "CLI_OPTION_MISSING",
        "missing setting entities: set TABLEKEEP_ENTITIES, or entities in the configuration file, to a module with definitions",
      );
    const configured = stores.journals?.find((each) => journalTableSpec(each.journal).name === table);
    const folds = await openEntityFolds({ path, port, clock: systemClock, logger: silentLogger });
    try {
      const { state, ...folded } = await folds.stateOf(
        {
          journal,
          snapshotTable: configured?.snapshotTable,
          persistenceId: textOf(args, "id") ?? "",
          sequenceNr: args["at"] as number | undefined,
        },
        io.signal,
      );
      const chunks = async function* (): AsyncGenerator<Chunk> {
        yield { rows: [{ state: JSON.parse(state) as unknown }] };
      };
      const { rows } = await boundedRows(chunks(), { limit: 1, maxBytes });
      return { table, ...folded, ...rows[0] };
    } finally {
      await folds.close();
    }
  },
};

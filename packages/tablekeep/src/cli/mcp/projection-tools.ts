import { findProjections } from "../journal/find-projections.ts";
import { boundedRows, type Chunk } from "./bounded-rows.ts";
import { limitOf, schemas, type Tool, type ToolArguments, type ToolCall, textOf } from "./tool.ts";
import { finalEntry, writeWithCheckpoint } from "./undo-checkpoints.ts";

const journal = schemas.text("Table of the journal (default: the one of the settings, or the only one).");
const name = schemas.text("Name of the projection.");
const version = {
  type: "integer",
  minimum: 1,
  description: "Version of the projection (default: the current one).",
};

function flagsOf(args: ToolArguments, { flags }: ToolCall) {
  return { ...flags, table: textOf(args, "journal") };
}

const listProjections: Tool = {
  name: "list_projections",
  description:
    "Lists the projections of a journal: state (running, paused, stopped), events behind the feed, parked events, last error and who runs it.",
  input: { journal, limit: schemas.limit },
  optional: ["journal", "limit"],
  async run(args, call) {
    const { signal } = call.io;
    await using found = await findProjections(flagsOf(args, call), call.io, { orNone: true });
    const all = found.hasTable ? await found.projections.list({ signal }) : [];
    const chunks = async function* (): AsyncGenerator<Chunk> {
      for (const each of all) {
        const { slices: _slices, ...status } = await found.projections.status(each.name, { signal });
        yield { rows: [status] };
      }
    };
    const { rows } = await boundedRows(chunks(), { limit: limitOf(args), maxBytes: call.maxBytes });
    return { table: found.table, projections: rows, total: all.length };
  },
};

const getProjection: Tool = {
  name: "get_projection",
  description:
    "Returns the state of a projection, the events that stopped it, and the events that it has parked because it could not apply them. more is true if there are further parked events.",
  input: { journal, name, version, limit: schemas.limit },
  optional: ["journal", "version", "limit"],
  async run(args, call) {
    const { signal } = call.io;
    const options = { version: args["version"] as number | undefined, signal };
    const limit = limitOf(args);
    await using found = await findProjections(flagsOf(args, call), call.io);
    const { projections } = found;
    const { slices, ...status } = await projections.status(textOf(args, "name") ?? "", options);
    const stopped = slices.flatMap(({ slice, failed }) =>
      failed === undefined ? [] : [{ slice, ...failed }],
    );
    const parked = await projections.parked(status.name, { ...options, version: status.version, limit });
    const half = { limit, maxBytes: Math.floor(call.maxBytes / 2) };
    const [shownStops, shownParked] = [
      await boundedRows(rowsOf(stopped), half),
      await boundedRows(rowsOf(parked), half),
    ];
    return {
      table: found.table,
      projection: status,
      stoppedAt: shownStops.rows,
      parked: shownParked.rows,
      more: shownParked.rows.length < status.parked,
    };
  },
};

async function* rowsOf(rows: readonly object[]): AsyncGenerator<Chunk> {
  for (const row of rows) yield { rows: [row] };
}

const controlProjection: Tool = {
  name: "control_projection",
  description:
    "Pauses or resumes a projection, or applies its parked events again (retry). Resume first repeats the event that stopped it. A process that runs the projection does the work. pause and resume undo each other.",
  input: { journal, name, version, action: { enum: ["pause", "resume", "retry"] } },
  optional: ["journal", "version"],
  writes: true,
  async run(args, call) {
    const { signal } = call.io;
    const options = { version: args["version"] as number | undefined, signal };
    await using found = await findProjections(flagsOf(args, call), call.io);
    const { projections } = found;
    const of = textOf(args, "name") ?? "";
    const action = textOf(args, "action");
    const entry = finalEntry(`${action} projection ${of}`, "pause and resume reverse each other");
    const { result, undo } = await writeWithCheckpoint(
      call.undoCheckpoints,
      entry,
      async () => {
        if (action === "retry") return { ids: await projections.retryParked(of, options) };
        await (action === "pause" ? projections.pause(of, options) : projections.resume(of, options));
        return undefined;
      },
      () => entry,
    );
    return { ...(result ?? { state: (await projections.status(of, options)).state }), undo };
  },
};

/** Tools over projections. */
export const projectionTools: readonly Tool[] = [listProjections, getProjection, controlProjection];

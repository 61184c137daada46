import { type Outcome, unwrap } from "@tablekeep/core";
import type {
  DocumentObject,
  DocumentValue,
  ShadowManager,
  ShadowUpdate,
  ShadowView,
} from "@tablekeep/shadow";
import { rowJson, viewJson } from "../../json/shadow-json.ts";
import { CliError } from "../frame/cli-error.ts";
import { describeShadow, findShadows } from "../shadow/find-shadows.ts";
import { boundedRows, type Chunk } from "./bounded-rows.ts";
import { limitOf, schemas, type Tool, type ToolArguments, type ToolCall, textOf } from "./tool.ts";
import { type UndoEntry, writeWithCheckpoint } from "./undo-checkpoints.ts";

const thing = schemas.text("Name of the thing.");
const name = schemas.text("Name of the shadow (default: the classic shadow).");

function shadowOf(args: ToolArguments): { readonly id: string; readonly name: string } {
  return { id: textOf(args, "thing") ?? "", name: textOf(args, "name") ?? "" };
}

/** Shadows are limited in size, 8 KB by default, and never shortened. */
function shown(view: ShadowView): object {
  return JSON.parse(viewJson(view)) as object;
}

const getShadow: Tool = {
  name: "get_shadow",
  description: "Returns a shadow: desired and reported state, delta and version.",
  input: { thing, name },
  optional: ["name"],
  async run(args, call) {
    await using found = await findShadows(call.flags, call.io);
    const view = await found.manager.get(shadowOf(args), { signal: call.io.signal });
    if (view === undefined) throw new CliError("CLI_NO_SHADOW", `no ${describeShadow(shadowOf(args))}`);
    return { shadow: shown(view) };
  },
};

const listShadows: Tool = {
  name: "list_shadows",
  description:
    "Lists shadows with their versions: all, which reads the whole table, or those of one thing. next continues.",
  input: { thing, limit: schemas.limit, cursor: schemas.cursor },
  optional: ["thing", "limit", "cursor"],
  async run(args, call) {
    await using found = await findShadows(call.flags, call.io);
    const limit = limitOf(args);
    const chunks = shadowChunks(found.manager, args, call, limit);
    const { rows, next } = await boundedRows(chunks, { limit, maxBytes: call.maxBytes });
    return { shadows: rows, ...(next !== undefined && { next }) };
  },
};

/** Rows of a page, which a result contains entirely or not at all. */
const pageSize = 20;

async function* shadowChunks(
  manager: ShadowManager,
  args: ToolArguments,
  { io: { signal } }: ToolCall,
  limit: number,
): AsyncGenerator<Chunk> {
  let token = textOf(args, "cursor");
  for (let left = limit; left > 0; ) {
    const page = await manager.list({
      id: textOf(args, "thing"),
      limit: Math.min(left, pageSize),
      token,
      signal,
    });
    yield { rows: page.rows.map(rowJson), next: page.token };
    left -= page.rows.length;
    token = page.token;
    if (token === undefined) return;
  }
}

const desireShadow: Tool = {
  name: "desire_shadow",
  description:
    "Merges a state into the desired state of a thing; null removes a value. Devices that are connected receive the delta. undo restores the values as a new version.",
  input: {
    thing: { ...thing, minLength: 1 },
    name,
    state: schemas.object('The values to merge, such as {"on":true}.'),
    version: { type: "integer", minimum: 0, description: "Fail unless this is the current version." },
  },
  optional: ["name", "version"],
  writes: true,
  async run(args, call) {
    const { parseJson } = await import("@tablekeep/shadow");
    await using found = await findShadows(call.flags, call.io);
    const { signal } = call.io;
    const shadow = shadowOf(args);
    const state = parseJson(JSON.stringify(args["state"])) as DocumentObject;
    const version = args["version"] as number | undefined;
    const previous = await found.manager.get(shadow, { signal });
    const { result, undo } = await writeWithCheckpoint(
      call.undoCheckpoints,
      entryOf(call, { ...shadow, state, previous, version: (previous?.version ?? 0) + 1 }),
      async () => unwrap(await found.manager.desire({ ...shadow, state, version }, { signal })),
      (update: ShadowUpdate) =>
        update.written
          ? entryOf(call, { ...shadow, state, previous: update.previous, version: update.current.version })
          : undefined,
    );
    return { shadow: shown(result.current), undo };
  },
};

/** A change to the desired state. */
interface Desire {
  readonly id: string;
  readonly name: string;
  readonly state: DocumentObject;
  /** Undefined for a shadow that was created. */
  readonly previous: ShadowView | undefined;
  /** The version that the change created. */
  readonly version: number;
}

function entryOf(call: ToolCall, { id, name: shadow, state, previous, version }: Desire): UndoEntry {
  return {
    what: `desire of ${shadow === "" ? id : `${id}, ${shadow}`}, version ${version}`,
    bytes: previous === undefined ? 0 : viewJson(previous).length,
    async undo(io) {
      await using found = await findShadows(call.flags, io);
      const { manager } = found;
      const { signal } = io;
      if (previous === undefined) {
        await settled(manager.delete({ id, name: shadow, version }, { signal }));
        return { deleted: id };
      }
      const before = previous.state.desired as DocumentObject | undefined;
      const desired = before === undefined ? null : inverseOf(state, before);
      const update = await settled(manager.update({ id, name: shadow, desired, version }, { signal }));
      return { version: update.current.version };
    },
  };
}

/** A conflict means that the shadow has another version: it was changed since. */
async function settled<Value>(pending: Promise<Outcome<Value>>): Promise<Value> {
  const outcome = await pending;
  if (outcome.kind === "conflict")
    throw new CliError(
      "CLI_MCP_CHANGED",
      "the shadow has changed since this write, and was not changed: read it, and decide what to write",
      outcome.error,
    );
  return unwrap(outcome);
}

/** The patch that sets everything that `patch` changed back to the values in `before`. */
function inverseOf(patch: DocumentObject, before: DocumentObject): DocumentObject {
  const entries = Object.entries(patch).map(([key, value]): [string, DocumentValue] => {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (old === undefined) return [key, null];
    return [key, isObject(value) && isObject(old) ? inverseOf(value, old) : old];
  });
  return Object.fromEntries(entries);
}

function isObject(value: DocumentValue): value is DocumentObject {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Tools over shadows. */
export const shadowTools: readonly Tool[] = [getShadow, listShadows, desireShadow];

import type { HistoryPage, SearchPage } from "@tablekeep/shadow";
import { historyJson, rolloutDocument, searchJson } from "../../json/shadow-json.ts";
import { CliError } from "../frame/cli-error.ts";
import { findShadows } from "../shadow/find-shadows.ts";
import { boundedRows, type Chunk } from "./bounded-rows.ts";
import { limitOf, schemas, type Tool, textOf } from "./tool.ts";

/** Rows of a page, which a result contains entirely or not at all. By default, a shadow of 8 KB still fits. */
const pageSize = 8;

interface Page {
  readonly rows: readonly object[];
  readonly next: string | undefined;
}

/** The pages of a source as chunks, until there are `limit` rows. A page may be empty and still have a next one. */
async function* pages(
  read: (limit: number, token: string | undefined) => Promise<Page>,
  limit: number,
  start: string | undefined,
): AsyncGenerator<Chunk> {
  let token = start;
  for (let left = limit; left > 0; ) {
    const { rows, next } = await read(Math.min(left, pageSize), token);
    yield { rows, ...(next !== undefined && { next }) };
    left -= rows.length;
    token = next;
    if (next === undefined) return;
  }
}

/** Documents contain numbers of any size, which only their own printer supports. */
function searchRows(page: SearchPage): readonly object[] {
  return (JSON.parse(searchJson(page)) as { shadows: object[] }).shadows;
}

function historyRows(page: HistoryPage): readonly object[] {
  return (JSON.parse(historyJson(page)) as { entries: object[] }).entries;
}

const searchShadows: Tool = {
  name: "search_shadows",
  description:
    'Returns the shadows that match a condition, such as reported.firmware < "2.1" and connected, delta exists, or group = "kitchen". Reads the whole table. next continues.',
  input: { query: schemas.text("The condition."), limit: schemas.limit, cursor: schemas.cursor },
  optional: ["limit", "cursor"],
  async run(args, call) {
    const { signal } = call.io;
    await using found = await findShadows(call.flags, call.io);
    const query = textOf(args, "query") ?? "";
    const limit = limitOf(args);
    const read = async (max: number, token: string | undefined) => {
      const page = await found.manager.search({ query, limit: max, token }, { signal });
      return { rows: searchRows(page), next: page.token };
    };
    const chunks = pages(read, limit, textOf(args, "cursor"));
    const { rows, next } = await boundedRows(chunks, { limit, maxBytes: call.maxBytes });
    return { shadows: rows, ...(next !== undefined && { next }) };
  },
};

const shadowHistory: Tool = {
  name: "shadow_history",
  description:
    "Returns the versions of a shadow that the server keeps, the newest first, each with what it changed. gap means that versions before it are missing. next continues.",
  input: {
    thing: schemas.text("Name of the thing."),
    name: schemas.text("Name of the shadow (default: the classic shadow)."),
    path: schemas.text("Only changes at this JSON pointer, such as /reported/firmware."),
    limit: schemas.limit,
    cursor: schemas.cursor,
  },
  optional: ["name", "path", "limit", "cursor"],
  async run(args, call) {
    const { signal } = call.io;
    await using found = await findShadows(call.flags, call.io);
    const shadow = { id: textOf(args, "thing") ?? "", name: textOf(args, "name") ?? "" };
    const path = textOf(args, "path");
    const limit = limitOf(args);
    const read = async (max: number, token: string | undefined) => {
      const page = await found.manager.history({ ...shadow, path, limit: max, token }, { signal });
      return { rows: historyRows(page), next: page.token };
    };
    const chunks = pages(read, limit, textOf(args, "cursor"));
    const { rows, next } = await boundedRows(chunks, { limit, maxBytes: call.maxBytes });
    return { entries: rows, ...(next !== undefined && { next }) };
  },
};

const listRollouts: Tool = {
  name: "list_rollouts",
  description: "Lists rollouts of desired states, with their phase, wave, query and gate.",
  input: { limit: schemas.limit },
  optional: ["limit"],
  async run(args, call) {
    const { printJson } = await import("@tablekeep/shadow");
    await using found = await findShadows(call.flags, call.io);
    const all = await found.rollouts.list({ signal: call.io.signal });
    const chunks = async function* (): AsyncGenerator<Chunk> {
      for (const each of all) yield { rows: [JSON.parse(printJson(rolloutDocument(each))) as object] };
    };
    const { rows } = await boundedRows(chunks(), { limit: limitOf(args), maxBytes: call.maxBytes });
    return { rollouts: rows, total: all.length };
  },
};

const getRollout: Tool = {
  name: "get_rollout",
  description:
    "Returns a rollout and its things, with the wave and the status of each: waiting, applied, succeeded, failed and why. next continues.",
  input: { name: schemas.text("Name of the rollout."), limit: schemas.limit, cursor: schemas.cursor },
  optional: ["limit", "cursor"],
  async run(args, call) {
    const { printJson } = await import("@tablekeep/shadow");
    const { signal } = call.io;
    await using found = await findShadows(call.flags, call.io);
    const { rollouts } = found;
    const name = textOf(args, "name") ?? "";
    const rollout = await rollouts.get(name, { signal });
    if (rollout === undefined)
      throw new CliError("CLI_NO_ROLLOUT", `no such rollout: ${JSON.stringify(name)}`);
    const limit = limitOf(args);
    const read = async (max: number, token: string | undefined) => {
      const page = await rollouts.things(name, { limit: max, token }, { signal });
      return { rows: page.things, next: page.token };
    };
    const chunks = pages(read, limit, textOf(args, "cursor"));
    const { rows, next } = await boundedRows(chunks, { limit, maxBytes: Math.floor(call.maxBytes / 2) });
    const document = JSON.parse(printJson(rolloutDocument(rollout))) as object;
    return { rollout: document, things: rows, ...(next !== undefined && { next }) };
  },
};

/** Tools over many shadows: search, history and rollouts. */
export const fleetTools: readonly Tool[] = [searchShadows, shadowHistory, listRollouts, getRollout];

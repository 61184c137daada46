import { isDynamoError } from "@tablekeep/core";
import { jsonValue } from "../../json/journal-json.ts";
import { type ApiRoute, HttpError } from "../http/http-route.ts";
import { count, jsonAnswer, limitParameter, pathParameter, queryParameter } from "../http/openapi.ts";
import { queryNumber } from "../http/requests.ts";
import { sendJson } from "../http/responses.ts";
import { formOf } from "./events-page.ts";
import { type FindJournal, idOf, idParameter, idPath, journalParameter, tags } from "./journal-request.ts";
import type { ServedJournal } from "./served-journals.ts";

const path = `${idPath}/snapshots`;

/** The snapshots of one persistence id. */
export function snapshotRoutes(find: FindJournal): ApiRoute[] {
  return [listSnapshots(find), readSnapshot(find)];
}

function listSnapshots(find: FindJournal): ApiRoute {
  return {
    method: "GET",
    path,
    access: "users",
    describe: {
      operationId: "listSnapshots",
      summary: "Lists the snapshots of a persistence id, by ascending sequence number.",
      tags,
      parameters: [
        journalParameter,
        idParameter,
        limitParameter(1000, 100),
        queryParameter("from", "The first sequence number.", count),
      ],
      responses: {
        200: jsonAnswer("Sequence numbers and times. next is the from of the next page.", { type: "object" }),
      },
    },
    async handle(exchange) {
      const served = await find(exchange);
      const { response, signal } = exchange;
      const limit = queryNumber(exchange, "limit", { min: 1, max: 1000, fallback: 100 });
      const minSequenceNr = queryNumber(exchange, "from", { fallback: 0 });
      const found: object[] = [];
      const list = served.snapshots.list(idOf(exchange), { minSequenceNr }, { signal });
      for await (const { sequenceNr, timestamp } of unlessNoTable(served, list)) {
        if (found.length === limit) {
          sendJson(response, 200, { snapshots: found, next: sequenceNr });
          return;
        }
        found.push({ sequenceNr, timestamp });
      }
      sendJson(response, 200, { snapshots: found });
    },
  };
}

/** Passes snapshots on; none if their table is missing. */
async function* unlessNoTable<Found>(
  served: ServedJournal,
  found: AsyncIterable<Found>,
): AsyncGenerator<Found> {
  try {
    yield* found;
  } catch (error) {
    undefinedIfNoTable(served, error);
  }
}

/** A journal that another program has written into the folder may not have a snapshot table. Throws all other errors. */
function undefinedIfNoTable({ writers }: ServedJournal, error: unknown): undefined {
  if (writers !== undefined || !isDynamoError(error, "ResourceNotFoundException")) throw error;
}

function readSnapshot(find: FindJournal): ApiRoute {
  return {
    method: "GET",
    path: `${path}/:sequenceNr`,
    access: "users",
    describe: {
      operationId: "readSnapshot",
      summary: "Returns one snapshot.",
      tags,
      parameters: [
        journalParameter,
        idParameter,
        pathParameter("sequenceNr", "Sequence number of the snapshot, or latest."),
      ],
      responses: { 200: jsonAnswer("The snapshot with its state.", { type: "object" }) },
    },
    async handle(exchange) {
      const served = await find(exchange);
      const { params, response, signal } = exchange;
      const given = params["sequenceNr"] ?? "";
      if (given !== "latest" && !/^\d{1,16}$/.test(given))
        throw new HttpError(400, "expected a sequence number or latest");
      const sequenceNr = Number(given);
      const criteria = given === "latest" ? {} : { minSequenceNr: sequenceNr, maxSequenceNr: sequenceNr };
      const found = await served.snapshots
        .load(idOf(exchange), criteria, { signal })
        .catch((error: unknown) => undefinedIfNoTable(served, error));
      if (found === undefined) throw new HttpError(404, "no such snapshot");
      sendJson(response, 200, {
        ...found,
        state: jsonValue(found.state),
        stateForm: formOf(found.state),
        metadata: jsonValue(found.metadata),
      });
    },
  };
}

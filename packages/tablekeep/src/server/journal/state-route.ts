import { type EntityFolds, unknownEntity } from "../entity-folds/entity-folds.ts";
import type { ApiRoute } from "../http/http-route.ts";
import { count, jsonAnswer, objectOf, queryParameter, text } from "../http/openapi.ts";
import { queryNumber } from "../http/requests.ts";
import { sendJsonText } from "../http/responses.ts";
import { type FindJournal, idOf, idParameter, idPath, journalParameter, tags } from "./journal-request.ts";

/** The state of an entity by its own definition. `folds` is undefined if the server has no definitions. */
export function stateRoute(find: FindJournal, folds: EntityFolds | undefined): ApiRoute {
  return {
    method: "GET",
    path: `${idPath}/state`,
    access: "users",
    describe: {
      operationId: "readState",
      summary:
        "Returns the state of an entity after an event, by its definition in the module of --entities.",
      tags,
      parameters: [
        journalParameter,
        idParameter,
        queryParameter(
          "at",
          "Sequence number of the last event to apply; 0 for none. By default all.",
          count,
        ),
      ],
      responses: {
        200: jsonAnswer(
          "The state, and the sequence number of its last event.",
          objectOf({ entity: objectOf({ type: text, id: text }), sequenceNr: count, state: {} }),
        ),
        404: jsonAnswer("No entity with this persistence id is registered.", { type: "object" }),
      },
    },
    async handle(exchange) {
      const { config } = await find(exchange);
      const { response, signal } = exchange;
      const persistenceId = idOf(exchange);
      const sequenceNr = queryNumber(exchange, "at", { fallback: undefined });
      if (folds === undefined) throw unknownEntity(persistenceId, []);
      const { journal = {}, snapshotTable } = config;
      const wanted = { journal, snapshotTable, persistenceId, sequenceNr };
      const { entity: type, id, state, ...folded } = await folds.stateOf(wanted, signal);
      const head = JSON.stringify({ entity: { type, id }, sequenceNr: folded.sequenceNr });
      sendJsonText(response, 200, `${head.slice(0, -1)},"state":${state}}\n`);
    },
  };
}

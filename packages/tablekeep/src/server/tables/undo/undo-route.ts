import type { DynamoPort } from "@tablekeep/core";
import type { Engine } from "@tablekeep/engine";
import { type ApiRoute, HttpError, type HttpExchange } from "../../http/http-route.ts";
import {
  count,
  jsonAnswer,
  objectOf,
  pathParameter,
  queryParameter,
  schemaNamed,
} from "../../http/openapi.ts";
import { sendJson } from "../../http/responses.ts";
import { readOnlyAnswer } from "../read-only-answer.ts";
import { describeNamed, tags } from "../table-request.ts";
import type { TableRights } from "../table-rights.ts";
import type { UndoLog, UndoStep } from "./undo-steps.ts";

/** The log of changes that can be undone. */
export interface UndoPlace {
  /** Undefined if changes cannot be undone: the data is not in this process. */
  readonly engine: Engine | undefined;
  readonly log: UndoLog;
}

/** The undo of one request. */
export interface RequestUndo {
  readonly id: string;
  readonly engine: Engine;
  readonly maxBytes: number;
  /** Returns whether there is space for more. */
  add(steps: readonly UndoStep[]): boolean;
}

const idSchema = { type: "string", pattern: "^[A-Za-z0-9-]{8,64}$" };

export const undoParameter: object = queryParameter(
  "undo",
  "An id, chosen by the client, to undo the change by. Nothing is changed if that is not possible.",
  idSchema,
);

/** The member of a response that says that the change can be undone. */
export const undoMember: object = { type: "string", description: "The id, if there is something to undo." };

/** The common part of the responses to changes that can be undone. */
export const undoAnswer: Readonly<Record<number, object>> = {
  409: jsonAnswer("The change cannot be undone, and was not made or not completed.", schemaNamed("Error")),
};

/** How a request to change a table is undone; undefined if that is not requested. Throws if it is not possible. */
export function requestUndo(
  { engine, log }: UndoPlace,
  { user }: Pick<HttpExchange, "user">,
  table: string,
  id: unknown,
): RequestUndo | undefined {
  if (id === undefined || id === null) return undefined;
  if (typeof id !== "string" || !/^[A-Za-z0-9-]{8,64}$/.test(id))
    throw new HttpError(400, "undo must be an id of 8 to 64 letters, digits and hyphens");
  if (engine === undefined)
    throw new HttpError(
      409,
      "this cannot be undone, because the data is in another DynamoDB: send it without undo",
    );
  log.check(id, table, user);
  return { id, engine, maxBytes: log.entryBytes, add: (steps) => log.add(id, table, user, steps) };
}

/** Undoes changes. */
export function undoRoute(port: DynamoPort, rights: TableRights, { log }: UndoPlace): ApiRoute {
  return {
    method: "POST",
    path: "/api/v3/undo/:id",
    access: "users",
    describe: {
      operationId: "undoChange",
      summary: "Undoes a change, except where someone has changed the same since.",
      tags,
      parameters: [pathParameter("id", "The id that the change was made with.")],
      responses: {
        200: jsonAnswer(
          "How many items or settings are as before, and how many were kept because someone has changed them since. If any are left, send the request again.",
          objectOf({ undone: count, kept: count, left: count }),
        ),
        ...readOnlyAnswer,
        409: jsonAnswer("Someone has changed the same since. Nothing more was undone.", schemaNamed("Error")),
      },
    },
    async handle({ params, user, response, signal, stopping }) {
      const { id = "" } = params;
      const table = log.tableOf(id, user);
      await checkRights(port, rights, table, signal);
      sendJson(response, 200, await log.undo(id, user, stopping));
    },
  };
}

/** Only the name of a deleted table is known. */
async function checkRights(
  port: DynamoPort,
  rights: TableRights,
  table: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await rights.check(await describeNamed(port, table, signal), signal);
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 404) throw error;
    rights.checkName(table);
  }
}

import type { HttpExchange } from "../http/http-route.ts";
import { pathParameter } from "../http/openapi.ts";
import type { ServedJournal } from "./served-journals.ts";

/** The path of the journal API. */
export const journalsPath = "/api/v3/journals";

/** The path of one persistence id. */
export const idPath: string = `${journalsPath}/:journal/ids/:id`;

/** The tags of all operations of the journal API. */
export const tags: readonly string[] = ["journals"];

export const journalParameter: object = pathParameter("journal", "Name of the journal.");
export const idParameter: object = pathParameter("id", "The persistence id.");

/** The schema of a sequence number. */
export const sequenceNr = { type: "integer", minimum: 1 };

/** Finds the journal that a request names. */
export type FindJournal = (exchange: HttpExchange) => Promise<ServedJournal>;

/** The persistence id that a request names. */
export function idOf({ params }: HttpExchange): string {
  return params["id"] ?? "";
}

import { jsonAnswer, schemaNamed } from "../http/openapi.ts";

/** The response to a change that is not allowed. */
export const readOnlyAnswer: Readonly<Record<number, object>> = {
  403: jsonAnswer("The table belongs to a store, or all tables are read-only.", schemaNamed("Error")),
};

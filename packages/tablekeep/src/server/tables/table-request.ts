import { type DynamoPort, isDynamoError } from "@tablekeep/core";
import { HttpError, type HttpExchange } from "../http/http-route.ts";
import { pathParameter } from "../http/openapi.ts";
import { type TableFacts, tableFacts } from "./table-facts.ts";

/** The path of the tables' API. */
export const base = "/api/v3/tables";

/** The tags of all its operations. */
export const tags: readonly string[] = ["tables"];

export const tableParameter: object = pathParameter("table", "Name of the table.");

/** The table that a request names. */
export function describedTable({ params, signal }: HttpExchange, port: DynamoPort): Promise<TableFacts> {
  return describeNamed(port, params["table"] ?? "", signal);
}

/** The table with a name. Throws if there is none. */
export async function describeNamed(
  port: DynamoPort,
  name: string,
  signal: AbortSignal,
): Promise<TableFacts> {
  try {
    const { Table } = await port.describeTable({ TableName: name }, { signal });
    if (Table !== undefined) return tableFacts(Table);
  } catch (error) {
    if (!isDynamoError(error) || error.kind !== "not-found") throw error;
  }
  throw new HttpError(404, "no such table");
}

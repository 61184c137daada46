import { type AttributeValue, type DynamoPort, type ExecuteStatementInput, mayWrite } from "@tablekeep/core";
import { answerJson, statementChange } from "@tablekeep/engine";
import { InvalidItemError, parseItem, wireItem } from "../../json/dynamodb-json.ts";
import { type ApiRoute, HttpError } from "../http/http-route.ts";
import { jsonAnswer, jsonBody, listOf, objectOf, text } from "../http/openapi.ts";
import { readJson } from "../http/requests.ts";
import { sendJson } from "../http/responses.ts";
import { readOnlyAnswer } from "./read-only-answer.ts";
import type { TableFacts } from "./table-facts.ts";
import { describeNamed, tags } from "./table-request.ts";
import type { TableRights } from "./table-rights.ts";
import { itemStep } from "./undo/item-step.ts";
import { type RequestUndo, requestUndo, type UndoPlace, undoAnswer, undoMember } from "./undo/undo-route.ts";

const value = { type: "object", description: "DynamoDB JSON; bytes are base64." };
const maxItems = 1_000;

/** Runs PartiQL statements. Statements that write require the rights for changing an item, and continue when their client disconnects. */
export function partiqlRoute(port: DynamoPort, rights: TableRights, undo: UndoPlace): ApiRoute {
  return {
    method: "POST",
    path: "/api/v3/partiql",
    access: "users",
    describe: {
      operationId: "executeStatement",
      summary: "Runs one PartiQL statement.",
      tags,
      requestBody: jsonBody({
        ...objectOf({
          statement: text,
          parameters: listOf(value),
          consistent: { type: "boolean", default: false },
          limit: { type: "integer", minimum: 1, maximum: maxItems, default: 50 },
          next: { ...text, description: "The next of the previous page." },
          undo: { ...text, description: "An id, chosen by the client, to undo a statement that writes." },
        }),
        required: ["statement"],
      }),
      responses: {
        200: jsonAnswer(
          "The items that it returns. next is present if there may be more.",
          objectOf({ items: listOf(value), units: { type: "number" }, next: text, undo: undoMember }),
        ),
        ...readOnlyAnswer,
        ...undoAnswer,
      },
    },
    async handle(exchange) {
      const { request, response, signal, stopping } = exchange;
      const asked = parseStatement(await readJson(request));
      const writes = mayWrite("ExecuteStatement", { Statement: asked.statement });
      const input: ExecuteStatementInput = {
        Statement: asked.statement,
        ...(asked.parameters.length > 0 && { Parameters: asked.parameters }),
        ...(asked.consistent && { ConsistentRead: true }),
        ...(!writes && { Limit: asked.limit }),
        NextToken: asked.next,
        ReturnConsumedCapacity: "TOTAL",
      };
      if (writes) {
        const table = await describeNamed(port, writtenTable(asked.statement), signal);
        await rights.check(table, signal);
        const kept = requestUndo(undo, exchange, table.name, asked.undo);
        if (kept !== undefined) return sendJson(response, 200, await runWithUndo(kept, table, input));
      }
      const page = await port.executeStatement(input, { signal: writes ? stopping : signal });
      sendJson(response, 200, {
        items: (page.Items ?? []).map(wireItem),
        units: page.ConsumedCapacity?.CapacityUnits ?? 0,
        next: page.NextToken,
      });
    },
  };
}

/** Runs a statement that writes, and records its change. */
async function runWithUndo(
  { id, engine, add }: RequestUndo,
  table: TableFacts,
  { Parameters = [], ...input }: ExecuteStatementInput,
): Promise<object> {
  const { value: parameters } = wireItem({ value: { L: Parameters } }) as { value: { L: unknown[] } };
  const answer = await engine.execute("ExecuteStatement", {
    ...input,
    ...(Parameters.length > 0 && { Parameters: parameters.L }),
  });
  const change = statementChange(answer);
  if (change !== undefined) add([itemStep(engine, table, change)]);
  const { Items = [], ConsumedCapacity } = JSON.parse(answerJson(answer)) as {
    readonly Items?: readonly object[];
    readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
  };
  const undo = change !== undefined && { undo: id };
  return { items: Items, units: ConsumedCapacity?.CapacityUnits ?? 0, ...undo };
}

interface AskedStatement {
  readonly statement: string;
  readonly parameters: AttributeValue[];
  readonly consistent: boolean;
  readonly limit: number;
  readonly next: string | undefined;
  readonly undo: unknown;
}

function parseStatement(body: unknown): AskedStatement {
  const given = typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  const { statement, parameters = [], consistent = false, limit = 50, next, undo } = given;
  if (typeof statement !== "string" || statement.trim() === "")
    throw new HttpError(400, "statement must be a non-empty string");
  if (!Array.isArray(parameters))
    throw new HttpError(400, "parameters must be a list of values in DynamoDB JSON");
  if (typeof consistent !== "boolean") throw new HttpError(400, "consistent must be true or false");
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > maxItems)
    throw new HttpError(400, `limit must be an integer from 1 to ${maxItems}`);
  if (next !== undefined && typeof next !== "string") throw new HttpError(400, "next must be a string");
  return { statement, parameters: parseParameters(parameters), consistent, limit: Number(limit), next, undo };
}

function parseParameters(parameters: readonly unknown[]): AttributeValue[] {
  try {
    const named = Object.fromEntries(parameters.map((each, at) => [`parameters[${at}]`, each]));
    return Object.values(parseItem(named));
  } catch (error) {
    if (error instanceof InvalidItemError) throw new HttpError(400, error.message);
    throw error;
  }
}

/**
 * The forms of statements that write. Only these are accepted, because the table decides who may write: a statement that this parser and
 * DynamoDB read differently could write to another table.
 */
const written =
  /^[ \t\r\n]*(?:INSERT[ \t\r\n]+INTO|UPDATE|DELETE[ \t\r\n]+FROM)[ \t\r\n]+(?:"([\w.-]+)"|([A-Za-z_]\w*))(?=[ \t\r\n])/i;

/** The table that a statement writes to. */
function writtenTable(statement: string): string {
  const [, quoted, plain] = written.exec(statement) ?? [];
  const table = quoted ?? plain;
  if (table !== undefined) return table;
  throw new HttpError(
    400,
    'a statement must begin with SELECT, INSERT INTO "table", UPDATE "table" or DELETE FROM "table"',
  );
}

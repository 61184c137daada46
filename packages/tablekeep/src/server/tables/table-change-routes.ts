import type { DynamoPort, Item, Key } from "@tablekeep/core";
import { InvalidItemError, parseItem } from "../../json/dynamodb-json.ts";
import { type ApiRoute, HttpError } from "../http/http-route.ts";
import { jsonAnswer, jsonBody, listOf, objectOf, schemaNamed, text } from "../http/openapi.ts";
import { readJson } from "../http/requests.ts";
import { sendJson } from "../http/responses.ts";
import { changeItem, fitsOneRequest, ItemChangedError } from "./change-item.ts";
import {
  changeTable,
  membersOf,
  parseKeyDefinition,
  parseTableChange,
  streamViews,
  timeToLiveOf,
} from "./change-table.ts";
import { readOnlyAnswer } from "./read-only-answer.ts";
import type { KeyFact, TableFacts } from "./table-facts.ts";
import { base, describedTable, tableParameter, tags } from "./table-request.ts";
import type { TableRights } from "./table-rights.ts";
import { deleteWithUndo } from "./undo/deleted-table.ts";
import { settingStep, settingsBefore } from "./undo/setting-step.ts";
import { requestUndo, type UndoPlace, undoAnswer, undoMember, undoParameter } from "./undo/undo-route.ts";

const item = { type: ["object", "null"], description: "DynamoDB JSON; null for no item." };
const keyAttribute = { ...objectOf({ name: text, type: { enum: ["S", "N", "B"] } }), required: ["name"] };

/** Creates, changes and deletes tables, and changes items. A write continues when its client disconnects. */
export function tableChangeRoutes(port: DynamoPort, rights: TableRights, undo: UndoPlace): ApiRoute[] {
  return [
    createTable(port, rights),
    changeOneTable(port, rights, undo),
    readTimeToLive(port),
    deleteTable(port, rights, undo),
    changeOneItem(port, rights),
  ];
}

function createTable(port: DynamoPort, rights: TableRights): ApiRoute {
  return {
    method: "POST",
    path: base,
    access: "users",
    describe: {
      operationId: "createTable",
      summary: "Creates a table with on-demand capacity.",
      tags,
      requestBody: jsonBody({
        ...objectOf({ name: text, partitionKey: keyAttribute, sortKey: keyAttribute }),
        required: ["name", "partitionKey"],
      }),
      responses: {
        200: jsonAnswer("The table's name and status.", objectOf({ name: text, status: text })),
        ...readOnlyAnswer,
      },
    },
    async handle({ request, response, stopping }) {
      const { name, partitionKey, sortKey } = parseTable(await readJson(request));
      rights.checkName(name);
      const keys = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
      const { TableDescription } = await port.createTable(
        {
          TableName: name,
          BillingMode: "PAY_PER_REQUEST",
          KeySchema: keys.map((key, at) => ({
            AttributeName: key.name,
            KeyType: at === 0 ? "HASH" : "RANGE",
          })),
          AttributeDefinitions: keys.map((key) => ({ AttributeName: key.name, AttributeType: key.type })),
        },
        { signal: stopping },
      );
      sendJson(response, 200, { name, status: TableDescription?.TableStatus });
    },
  };
}

const nullable = (type: object) => ({ anyOf: [type, { type: "null" }] });

function changeOneTable(port: DynamoPort, rights: TableRights, undo: UndoPlace): ApiRoute {
  return {
    method: "PATCH",
    path: `${base}/:table`,
    access: "users",
    describe: {
      operationId: "changeTable",
      summary: "Creates or deletes an index, or sets the stream or the time to live: one of them.",
      tags,
      parameters: [tableParameter, undoParameter],
      requestBody: jsonBody(
        objectOf({
          createIndex: {
            ...objectOf({
              name: text,
              partitionKey: keyAttribute,
              sortKey: keyAttribute,
              projection: { anyOf: [{ enum: ["all", "keys"] }, listOf(text)], default: "all" },
            }),
            required: ["name", "partitionKey"],
          },
          deleteIndex: text,
          stream: nullable({ enum: streamViews }),
          timeToLive: nullable({ ...text, description: "The attribute with the time; null for none." }),
        }),
      ),
      responses: {
        200: jsonAnswer("The table's name.", objectOf({ name: text, undo: undoMember })),
        ...readOnlyAnswer,
        ...undoAnswer,
      },
    },
    async handle(exchange) {
      const facts = await describedTable(exchange, port);
      await rights.check(facts, exchange.signal);
      const change = parseTableChange(await readJson(exchange.request));
      const kept = requestUndo(undo, exchange, facts.name, exchange.query.get("undo"));
      const before = kept && (await settingsBefore(port, facts.name, exchange.signal));
      await changeTable(port, facts, change, exchange.stopping);
      const step = before && settingStep(port, change, before);
      if (step !== undefined) kept?.add([step]);
      sendJson(exchange.response, 200, { name: facts.name, ...(step && { undo: kept?.id }) });
    },
  };
}

/** Separate from the description of a table, which is read often: DynamoDB allows few of these requests. */
function readTimeToLive(port: DynamoPort): ApiRoute {
  return {
    method: "GET",
    path: `${base}/:table/time-to-live`,
    access: "users",
    describe: {
      operationId: "readTimeToLive",
      summary: "Returns the attribute with the time at which items of a table expire.",
      tags,
      parameters: [tableParameter],
      responses: {
        200: jsonAnswer(
          "The attribute; null if items do not expire.",
          objectOf({ attribute: nullable(text) }),
        ),
      },
    },
    async handle(exchange) {
      const { name } = await describedTable(exchange, port);
      const attribute = await timeToLiveOf(port, name, exchange.signal);
      sendJson(exchange.response, 200, { attribute: attribute ?? null });
    },
  };
}

function deleteTable(port: DynamoPort, rights: TableRights, undo: UndoPlace): ApiRoute {
  return {
    method: "DELETE",
    path: `${base}/:table`,
    access: "users",
    describe: {
      operationId: "deleteTable",
      summary: "Deletes a table with its items, unless it belongs to a store of this server.",
      tags,
      parameters: [tableParameter, undoParameter],
      responses: {
        200: jsonAnswer("The table's name.", objectOf({ name: text, undo: undoMember })),
        ...readOnlyAnswer,
        ...undoAnswer,
      },
    },
    async handle(exchange) {
      const facts = await describedTable(exchange, port);
      const { signal, stopping } = exchange;
      await rights.check(facts, signal);
      const { name } = facts;
      const kept = requestUndo(undo, exchange, name, exchange.query.get("undo"));
      if (kept === undefined) await port.deleteTable({ TableName: name }, { signal: stopping });
      else kept.add(await deleteWithUndo(kept.engine, facts, { ...kept, signal, stopping }));
      sendJson(exchange.response, 200, { name, ...(kept && { undo: kept.id }) });
    },
  };
}

function changeOneItem(port: DynamoPort, rights: TableRights): ApiRoute {
  return {
    method: "POST",
    path: `${base}/:table/change`,
    access: "users",
    describe: {
      operationId: "changeItem",
      summary: "Creates, changes or deletes an item if it is still as expected.",
      tags,
      parameters: [tableParameter],
      requestBody: jsonBody({ ...objectOf({ from: item, to: item }), required: ["from", "to"] }),
      responses: {
        200: jsonAnswer("The item is changed.", { type: "object" }),
        ...readOnlyAnswer,
        409: jsonAnswer("The item is not as from says, and was not changed.", schemaNamed("Error")),
      },
    },
    async handle(exchange) {
      const facts = await describedTable(exchange, port);
      await rights.check(facts, exchange.signal);
      const { from, to } = parseChange(await readJson(exchange.request));
      const key = keyOfChange(facts, from, to);
      if (!fitsOneRequest({ from, to }))
        throw new HttpError(400, "an item with more than 100 attributes cannot be changed here: use an SDK");
      try {
        await changeItem(port, { table: facts.name, key, from, to }, exchange.stopping);
      } catch (error) {
        if (error instanceof ItemChangedError) throw new HttpError(409, error.message);
        throw error;
      }
      sendJson(exchange.response, 200, {});
    },
  };
}

function parseChange(body: unknown): { readonly from: Item | undefined; readonly to: Item | undefined } {
  const { from, to } = membersOf(body);
  if (from === undefined || to === undefined || (from === null && to === null))
    throw new HttpError(400, "the body must have from and to: items in DynamoDB JSON, or null for no item");
  try {
    return {
      from: from === null ? undefined : parseItem(from),
      to: to === null ? undefined : parseItem(to),
    };
  } catch (error) {
    if (error instanceof InvalidItemError) throw new HttpError(400, error.message);
    throw error;
  }
}

/** The key of a changed item, which both of its states must have. */
function keyOfChange({ partition, sort }: TableFacts, from: Item | undefined, to: Item | undefined): Key {
  const key: Key = {};
  for (const { name } of sort === undefined ? [partition] : [partition, sort]) {
    const values = [from, to].flatMap((state) => (state === undefined ? [] : [state[name]]));
    const [value] = values;
    if (value === undefined || values.includes(undefined))
      throw new HttpError(400, `the key attribute ${name} is missing`);
    if (values.some((each) => JSON.stringify(each) !== JSON.stringify(value)))
      throw new HttpError(400, `the key attribute ${name} cannot be changed: create another item`);
    key[name] = value;
  }
  return key;
}

interface NewTable {
  readonly name: string;
  readonly partitionKey: KeyFact;
  readonly sortKey?: KeyFact;
}

function parseTable(body: unknown): NewTable {
  const { name, partitionKey, sortKey } = membersOf(body);
  if (typeof name !== "string" || name === "") throw new HttpError(400, "name must be a non-empty string");
  return {
    name,
    partitionKey: parseKeyDefinition(partitionKey, "partitionKey"),
    ...(sortKey !== undefined && { sortKey: parseKeyDefinition(sortKey, "sortKey") }),
  };
}

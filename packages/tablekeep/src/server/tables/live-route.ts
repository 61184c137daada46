import type { Clock, DynamoPort, Logger } from "@tablekeep/core";
import type { Backend } from "../backend/open-backend.ts";
import { type ServerSentEvent, sendEvents } from "../http/event-stream.ts";
import { type ApiRoute, streamSignal } from "../http/http-route.ts";
import { eventStream } from "../http/openapi.ts";
import { committedChanges, streamedChanges, type TableChange } from "./table-changes.ts";
import { base, describedTable, tableParameter, tags } from "./table-request.ts";

/** The source of changes to tables. */
export interface FollowTableOptions extends Pick<Backend, "engine"> {
  readonly port: DynamoPort;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Streams the changes to a table: from the embedded engine, elsewhere from the table's stream. */
export function followTable({ engine, port, clock, logger }: FollowTableOptions): ApiRoute {
  return {
    method: "GET",
    path: `${base}/:table/live`,
    access: "users",
    describe: {
      operationId: "followTable",
      summary: "Streams changes to a table from now on, with the items before and after them.",
      tags,
      parameters: [tableParameter],
      responses: { 200: eventStream },
    },
    async handle(exchange) {
      const { name } = await describedTable(exchange, port);
      const signal = streamSignal(exchange);
      const changes =
        engine === undefined
          ? await streamedChanges(port, name, { clock, logger, signal })
          : committedChanges(engine, name, { clock, signal });
      await sendEvents(exchange, shownChanges(changes), clock);
    },
  };
}

async function* shownChanges(
  changes: AsyncIterable<TableChange>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  for await (const change of changes)
    yield "json" in change
      ? { event: "change", data: change.json }
      : { event: "missed", data: JSON.stringify({ changes: change.missed }) };
}

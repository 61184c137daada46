import { operationNames } from "@tablekeep/core";
import type { Backend } from "./backend/open-backend.ts";
import { dynamoDbListener } from "./dynamodb/dynamodb-listener.ts";
import { journalPart } from "./journal/journal-part.ts";
import { mailPart } from "./mail/mail-part.ts";
import { counter } from "./metrics/metrics.ts";
import type { ResolvedServerOptions } from "./options/server-options.ts";
import type { OnClose, ServerPart } from "./server-part.ts";
import { shadowPart } from "./shadow/shadow-part.ts";
import { tablesPart } from "./tables/tables-part.ts";

type OpenPart = (
  backend: Backend,
  options: ResolvedServerOptions,
  onClose: OnClose,
) => ServerPart | Promise<ServerPart>;

/** All parts of a server, by their names in metrics. A new part is a line here. */
const parts: Readonly<Record<string, OpenPart>> = {
  dynamodb: dynamoDbPart,
  journals: journalPart,
  mail: mailPart,
  shadows: shadowPart,
  tables: tablesPart,
};

/** Open parts, by name. */
export interface OpenParts {
  readonly byName: ReadonlyMap<string, ServerPart>;
  close(): Promise<void>;
}

/** Opens every part, or none. */
export async function openParts(backend: Backend, options: ResolvedServerOptions): Promise<OpenParts> {
  const byName = new Map<string, ServerPart>();
  const closers: (() => void | Promise<void>)[] = [];
  const close = async () => {
    const failures: unknown[] = [];
    for (const each of closers.splice(0).toReversed()) {
      try {
        await each();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  try {
    for (const [name, open] of Object.entries(parts))
      byName.set(name, await open(backend, options, (closer) => closers.push(closer)));
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  return { byName, close };
}

const knownOperations: ReadonlySet<string> = new Set(operationNames);

/** DynamoDB's own protocol on the embedded engine. */
function dynamoDbPart(
  { engine }: Backend,
  { dynamodbHost: host, clock, logger, dynamodb, accessKeys, dynamodbPort }: ResolvedServerOptions,
): ServerPart {
  if (engine === undefined || !dynamodb) return {};
  const requests = counter(
    "tablekeep_dynamodb_requests_total",
    "Requests to the DynamoDB endpoint, by operation.",
    ["operation"],
  );
  const backend: Pick<typeof engine, "execute"> = {
    execute(operation, input) {
      requests.count(knownOperations.has(operation) ? operation : "other");
      return engine.execute(operation, input);
    },
  };
  const target = { listener: "dynamodb", host, port: dynamodbPort, portFlag: "--dynamodb-port" };
  return {
    listeners: [dynamoDbListener({ target, backend, accessKeys, clock, logger })],
    metrics: [requests],
  };
}

import type { Clock, DynamoPort } from "@tablekeep/core";
import { type Repair, type RepairStep, repairJournal } from "@tablekeep/journal/tools";
import { type ApiRoute, HttpError, streamSignal } from "../http/http-route.ts";
import {
  count,
  jsonAnswer,
  jsonBody,
  listOf,
  objectOf,
  queryParameter,
  schemaNamed,
  text,
} from "../http/openapi.ts";
import { readJson } from "../http/requests.ts";
import { sendJson } from "../http/responses.ts";
import { type FindJournal, journalParameter, journalsPath, sequenceNr, tags } from "./journal-request.ts";
import { JournalVerifier } from "./journal-verifier.ts";

const repairSchema = { type: "object", description: "What a repair changes; absent if none is possible." };
const finding = objectOf({
  kind: text,
  severity: { enum: ["error", "warning", "info"] },
  persistenceId: text,
  from: sequenceNr,
  to: sequenceNr,
  message: text,
  repair: repairSchema,
});

/** Verifies a journal, and makes the repairs that a verification has listed. */
export function repairRoutes(find: FindJournal, port: DynamoPort, clock: Clock): ApiRoute[] {
  return [verifyOne(find, new JournalVerifier(port, clock)), repairFindings(find, port)];
}

function verifyOne(find: FindJournal, verifier: JournalVerifier): ApiRoute {
  return {
    method: "GET",
    path: `${journalsPath}/:journal/verification`,
    access: "users",
    describe: {
      operationId: "verifyJournal",
      summary: "Checks a journal or one persistence id for damage, one request at a time. Changes nothing.",
      tags,
      parameters: [journalParameter, queryParameter("id", "Only this persistence id.", text)],
      responses: {
        200: jsonAnswer(
          "The counts and findings; complete is false if it ended early.",
          objectOf({
            ids: count,
            rows: count,
            error: count,
            warning: count,
            info: count,
            complete: { type: "boolean" },
            findings: listOf(finding),
          }),
        ),
        429: jsonAnswer("Another verification is running.", schemaNamed("Error")),
      },
    },
    async handle(exchange) {
      const { config } = await find(exchange);
      const signal = streamSignal(exchange);
      const id = exchange.query.get("id") ?? undefined;
      sendJson(exchange.response, 200, await verifier.verify(config.journal ?? {}, id, signal));
    },
  };
}

function repairFindings(find: FindJournal, port: DynamoPort): ApiRoute {
  const step = objectOf({
    persistenceId: text,
    action: text,
    status: { enum: ["done", "not-needed"], description: "not-needed: the finding no longer exists." },
  });
  const wanted = {
    ...objectOf({ persistenceId: text, repair: repairSchema }),
    required: ["persistenceId", "repair"],
  };
  return {
    method: "POST",
    path: `${journalsPath}/:journal/repairs`,
    access: "users",
    describe: {
      operationId: "repairJournal",
      summary: "Repairs findings of a verification. Each is checked again first; no event is lost.",
      tags,
      parameters: [journalParameter],
      requestBody: jsonBody({ ...objectOf({ findings: listOf(wanted) }), required: ["findings"] }),
      responses: {
        200: jsonAnswer("What became of each repair.", objectOf({ repairs: listOf(step) })),
        403: jsonAnswer("The journal was discovered, and is read-only.", schemaNamed("Error")),
      },
    },
    async handle(exchange) {
      const { config, writers } = await find(exchange);
      if (writers === undefined)
        throw new HttpError(403, "this journal was discovered and is read-only: configure it under journals");
      const asked = parseFindings(await readJson(exchange.request));
      const repairs: object[] = [];
      for (const persistenceId of new Set(asked.map((each) => each.persistenceId))) {
        const wantedRepairs = asked.filter((each) => each.persistenceId === persistenceId);
        const made: RepairStep[] = [];
        const only = (found: { readonly repair: Repair }) =>
          wantedRepairs.some(({ repair }) => sameRepair(repair, found.repair));
        const options = { persistenceId, apply: true, only, signal: exchange.stopping };
        for await (const each of repairJournal(port, config.journal ?? {}, options)) made.push(each);
        for (const { repair } of wantedRepairs) {
          const status = made.find(({ finding: found }) => sameRepair(repair, found.repair))?.status;
          repairs.push({ persistenceId, action: repair["action"], status: status ?? "not-needed" });
        }
      }
      sendJson(exchange.response, 200, { repairs });
    },
  };
}

type Members = Readonly<Record<string, unknown>>;

/** A finding as a client sends it back. */
interface AskedRepair {
  readonly persistenceId: string;
  readonly repair: Members;
}

const maxRepairs = 1_000;

function parseFindings(body: unknown): readonly AskedRepair[] {
  const { findings } = isObject(body) ? body : {};
  if (!Array.isArray(findings) || findings.length === 0 || findings.length > maxRepairs)
    throw new HttpError(400, `findings must be a list of 1 to ${maxRepairs} findings of a verification`);
  return findings.map((each: unknown) => {
    const { persistenceId, repair } = isObject(each) ? each : {};
    if (typeof persistenceId !== "string" || persistenceId === "" || !isObject(repair))
      throw new HttpError(400, "each finding must have a persistenceId and a repair");
    return { persistenceId, repair };
  });
}

/** Whether a finding is still the one that was listed. */
function sameRepair(asked: Members, found: Repair): boolean {
  const members = Object.entries(found).filter(([, value]) => value !== undefined);
  return (
    members.length === Object.keys(asked).length && members.every(([name, value]) => asked[name] === value)
  );
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

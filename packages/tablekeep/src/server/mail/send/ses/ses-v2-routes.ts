import { HttpError, type HttpExchange, type HttpRoute, type RouteGroup } from "../../../http/http-route.ts";
import { logUnexpected } from "../../../http/responses.ts";
import { type JsonRecord, record } from "../request-fields.ts";
import { type SesOptions, sendAws, sesAccess, signedBody } from "./ses-access.ts";
import { defaultTemplate, sendBulkEntry, sendEmail } from "./ses-content.ts";
import { badRequest, SesError, sesErrorOf } from "./ses-error.ts";

/** Version 2 of SES's API: the two operations that send. */
export function sesV2Group(options: SesOptions): RouteGroup {
  const access = sesAccess(options);
  return {
    routes: [
      {
        method: "POST",
        path: "/v2/email/outbound-emails",
        access,
        async handle(exchange) {
          const body = await readRequest(exchange, options);
          const { id } = await sendEmail(options, body, { signal: exchange.signal });
          sendDocument(exchange, 200, { MessageId: id });
        },
      },
      {
        method: "POST",
        path: "/v2/email/outbound-bulk-emails",
        access,
        async handle(exchange) {
          const body = record(await readRequest(exchange, options), "the request");
          sendDocument(exchange, 200, { BulkEmailEntryResults: await sendBulk(exchange, options, body) });
        },
      },
      ...otherMethods.map((method) => otherOperations(method, options)),
    ],
    answerError(error, exchange) {
      const known = sesErrorOf(error);
      if (known === undefined) logUnexpected(options.logger, exchange, error);
      const shown = known ?? new SesError("InternalFailure", 500, "The request failed.");
      const headers = error instanceof HttpError ? error.headers : {};
      sendDocument(
        exchange,
        shown.status,
        { message: shown.message },
        { ...headers, "x-amzn-errortype": shown.exception },
      );
    },
  };
}

const otherMethods = ["GET", "POST", "PUT", "DELETE", "PATCH"] as const;

/** All other operations: SDKs need the name of an error to report it. */
function otherOperations(method: HttpRoute["method"], options: SesOptions): HttpRoute {
  return {
    method,
    path: "/v2/email/*operation",
    access: sesAccess(options),
    async handle(exchange) {
      await signedBody(exchange, options);
      const { operation = "" } = exchange.params;
      const reason = `${method} /v2/email/${operation} is not supported: only SendEmail and SendBulkEmail are`;
      throw new SesError("UnknownOperationException", 404, reason);
    },
  };
}

async function readRequest(exchange: HttpExchange, options: SesOptions): Promise<unknown> {
  const body = await signedBody(exchange, options);
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new SesError("SerializationException", 400, "the body must be JSON");
  }
}

/** AWS: entries of one request. */
const maxEntries = 50;

/** Every entry has its own result: one that fails does not stop the others. */
async function sendBulk(
  { signal }: HttpExchange,
  options: SesOptions,
  request: JsonRecord,
): Promise<object[]> {
  const entries = request["BulkEmailEntries"];
  if (!Array.isArray(entries) || entries.length === 0)
    throw badRequest("Missing required field 'BulkEmailEntries'.");
  if (entries.length > maxEntries) throw badRequest(`Bulk entry count exceeds ${maxEntries}.`);
  defaultTemplate(request);
  const results: object[] = [];
  for (const entry of entries as unknown[]) {
    try {
      const { id } = await sendBulkEntry(options, request, entry, { signal });
      results.push({ Status: "SUCCESS", MessageId: id });
    } catch (error) {
      const known = sesErrorOf(error);
      if (known === undefined) throw error;
      results.push({ Status: bulkStatus(known), Error: known.message });
    }
  }
  return results;
}

function bulkStatus({ exception, status }: SesError): string {
  if (exception === "NotFoundException") return "TEMPLATE_NOT_FOUND";
  if (exception === "MessageRejected") return "MESSAGE_REJECTED";
  return status >= 500 ? "TRANSIENT_FAILURE" : "INVALID_PARAMETER";
}

function sendDocument(
  { response }: Pick<HttpExchange, "response">,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendAws(response, status, { type: "application/json", text: JSON.stringify(body), headers });
}

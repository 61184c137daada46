import { randomUUID } from "node:crypto";
import { HttpError, type HttpExchange, type RouteGroup } from "../../../http/http-route.ts";
import { escapeHtml, logUnexpected } from "../../../http/responses.ts";
import { type SesOptions, sendAws, sesAccess, signedBody } from "./ses-access.ts";
import { sendEmail } from "./ses-content.ts";
import { SesError, sesErrorOf } from "./ses-error.ts";

const namespace = "http://ses.amazonaws.com/doc/2010-12-01/";

/** The names in version 1 of errors that version 2 calls differently. */
const firstNames: Readonly<Record<string, string>> = {
  BadRequestException: "InvalidParameterValue",
  AccessDeniedException: "AccessDenied",
  TooManyRequestsException: "Throttling",
  UnrecognizedClientException: "InvalidClientTokenId",
  InvalidSignatureException: "SignatureDoesNotMatch",
  MissingAuthenticationTokenException: "MissingAuthenticationToken",
  IncompleteSignatureException: "IncompleteSignature",
};

/** Version 1 of SES's API, which sends forms and answers with XML: SendEmail and SendRawEmail. */
export function sesQueryGroup(options: SesOptions): RouteGroup {
  return {
    routes: [
      {
        method: "POST",
        path: "/",
        access: sesAccess(options),
        async handle(exchange) {
          const form = new URLSearchParams((await signedBody(exchange, options)).toString("utf8"));
          const action = form.get("Action") ?? "";
          const toBody = Object.hasOwn(actions, action) ? actions[action] : undefined;
          if (toBody === undefined) throw noAction(action, form.get("Version") ?? "");
          const { id } = await sendEmail(options, toBody(form), { signal: exchange.signal });
          sendXml(exchange, 200, successXml(action, id));
        },
      },
    ],
    answerError(error, exchange) {
      const known = sesErrorOf(error);
      if (known === undefined) logUnexpected(options.logger, exchange, error);
      const shown = known ?? new SesError("InternalFailure", 500, "The request failed.");
      const headers = error instanceof HttpError ? error.headers : {};
      sendXml(exchange, shown.status, errorXml(shown), headers);
    },
  };
}

/** The request of version 2 for each action of version 1. */
const actions: Readonly<Record<string, (form: URLSearchParams) => object>> = {
  SendEmail: (form) => ({
    FromEmailAddress: form.get("Source") ?? undefined,
    FeedbackForwardingEmailAddress: form.get("ReturnPath") ?? undefined,
    ReplyToAddresses: members(form, "ReplyToAddresses"),
    Destination: {
      ToAddresses: members(form, "Destination.ToAddresses"),
      CcAddresses: members(form, "Destination.CcAddresses"),
      BccAddresses: members(form, "Destination.BccAddresses"),
    },
    Content: {
      Simple: {
        Subject: { Data: form.get("Message.Subject.Data") },
        Body: {
          Text: { Data: form.get("Message.Body.Text.Data") },
          Html: { Data: form.get("Message.Body.Html.Data") },
        },
      },
    },
  }),
  SendRawEmail: (form) => ({
    FromEmailAddress: form.get("Source") ?? undefined,
    Destination: { ToAddresses: members(form, "Destinations") },
    Content: { Raw: { Data: form.get("RawMessage.Data") } },
  }),
};

/** AWS's lists in forms: `Name.member.1`, `Name.member.2`, … */
function members(form: URLSearchParams, name: string): string[] {
  const found: string[] = [];
  for (;;) {
    const value = form.get(`${name}.member.${found.length + 1}`);
    if (value === null) return found;
    found.push(value);
  }
}

function noAction(action: string, version: string): SesError {
  if (action === "") return new SesError("MissingAction", 400, "The request has no Action.");
  return new SesError("InvalidAction", 400, `Could not find operation ${action} for version ${version}`);
}

function successXml(action: string, id: string): string {
  const result = `<${action}Result><MessageId>${escapeHtml(id)}</MessageId></${action}Result>`;
  const metadata = `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>`;
  return `<${action}Response xmlns="${namespace}">${result}${metadata}</${action}Response>`;
}

function errorXml({ exception, message, status }: SesError): string {
  const code = firstNames[exception] ?? exception;
  const error = `<Type>${status < 500 ? "Sender" : "Receiver"}</Type><Code>${code}</Code><Message>${escapeHtml(message)}</Message>`;
  return `<ErrorResponse xmlns="${namespace}"><Error>${error}</Error><RequestId>${randomUUID()}</RequestId></ErrorResponse>`;
}

function sendXml(
  { response }: Pick<HttpExchange, "response">,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendAws(response, status, { type: "text/xml", text, headers });
}

import { isTablekeepError } from "@tablekeep/core";
import { isMailError } from "@tablekeep/mail";
import { HttpError } from "../../../http/http-route.ts";
import { ContentError } from "../compose-message.ts";

/** An error with SES's name and status, in its wording where SES documents one. */
export class SesError extends Error {
  /** The name in version 2. */
  readonly exception: string;
  readonly status: number;

  constructor(exception: string, status: number, message: string) {
    super(message);
    this.exception = exception;
    this.status = status;
  }

  override get name(): string {
    return "SesError";
  }
}

/** The response to a malformed request. */
export function badRequest(message: string): SesError {
  return new SesError("BadRequestException", 400, message);
}

/** The response for a template that does not exist; none is stored here. */
export function noTemplate(name: string): SesError {
  return new SesError("NotFoundException", 404, `Template ${name} does not exist`);
}

/** The response for an error; undefined for an unexpected one. */
export function sesErrorOf(error: unknown): SesError | undefined {
  if (error instanceof SesError) return error;
  if (error instanceof ContentError) return badRequest(error.message);
  if (error instanceof HttpError) return ofStatus(error);
  if (isMailError(error, "MAIL_MESSAGE_TOO_LARGE"))
    return badRequest(`Message length is more than ${error.details.maximum} bytes long.`);
  if (!isTablekeepError(error)) return undefined;
  if (error.ambiguous) return new SesError("InternalFailure", 500, "The message may have been stored.");
  const isOurs = ["unavailable", "throttled", "closed", "aborted"].includes(error.kind);
  return isOurs
    ? new SesError("ServiceUnavailable", 503, "The store is unavailable.")
    : new SesError("MessageRejected", 400, error.message);
}

const httpNames: Readonly<Record<number, string>> = {
  413: "RequestEntityTooLargeException",
  429: "TooManyRequestsException",
};

function ofStatus({ status, message }: HttpError): SesError {
  if (status === 401 || status === 403) return new SesError("AccessDeniedException", status, message);
  return new SesError(httpNames[status] ?? "BadRequestException", status, message);
}

import { type Fields, fieldOf, type ParameterValue, parameterValue } from "./header-fields.ts";

/**
 * Returns the type of a part. A type without a subtype, such as `text`, is invalid and read as plain text, as RFC 2045 recommends.
 * `container` is the type of the multipart around the part.
 */
export function contentType(fields: Fields, container: string): ParameterValue {
  const given = parameterValue(fieldOf(fields, "content-type"));
  if (given.value.includes("/")) return given;
  const isMessage = given.value === "" && container === "multipart/digest";
  return { ...given, value: isMessage ? "message/rfc822" : "text/plain" };
}

/** The type of a multipart whose boundary is missing, or occurs nowhere: its content is shown as it is. */
export function asPlainText(type: ParameterValue): ParameterValue {
  return { ...type, value: "text/plain" };
}

/** Whether a part is a message. Those of `message/global` have addresses and headers in UTF-8 (RFC 6532). */
export function isMessageType(type: string): boolean {
  return type === "message/rfc822" || type === "message/global";
}

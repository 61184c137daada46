import { readHeaderFields } from "@tablekeep/mail/mime";
import addressParser from "nodemailer/lib/addressparser";

/** A message in the form in which programs pass it to sendmail. */
export interface MessageToSend {
  /** The addresses of its From, To, Cc and Bcc fields. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  /** The message without its Bcc fields, which other recipients must not see. */
  readonly raw: Buffer;
}

/** Reads the address fields of a message, and removes Bcc. */
export function readMessageToSend(input: Buffer): MessageToSend {
  const fields = readHeaderFields(input);
  const addresses = (name: string) =>
    fields
      .filter((field) => field.name === name)
      .flatMap(({ value }) => addressParser(value, { flatten: true }))
      .map(({ address }) => address)
      .filter((address) => address !== "");
  const kept: Buffer[] = [];
  let at = 0;
  for (const { name, start, end } of fields) {
    if (name !== "bcc") continue;
    kept.push(input.subarray(at, start));
    at = end;
  }
  return {
    from: addresses("from"),
    to: addresses("to"),
    cc: addresses("cc"),
    bcc: addresses("bcc"),
    raw: at === 0 ? input : Buffer.concat([...kept, input.subarray(at)]),
  };
}

import addressParser from "nodemailer/lib/addressparser";

/** A message as a program passes it to sendmail. */
export interface MessageToSend {
  /** The addresses of its From, To, Cc and Bcc fields. */
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  /** The message without its Bcc fields, which other recipients must not see. */
  readonly raw: Buffer;
}

/** Reads the address fields of a message. */
export function splitMessage(input: Buffer): MessageToSend {
  const text = input.toString("latin1");
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text : text.slice(0, end.index);
  const rest = text.slice(head.length);
  // A line that starts with a space continues the field.
  const fields = head.split(/\r?\n(?![ \t])/);
  const isBcc = (field: string) => /^bcc\s*:/i.test(field);
  const kept = fields.filter((field) => !isBcc(field)).join("\n");
  return {
    from: addressesOf(fields, "from"),
    to: addressesOf(fields, "to"),
    cc: addressesOf(fields, "cc"),
    bcc: addressesOf(fields, "bcc"),
    raw: fields.some(isBcc) ? Buffer.from(kept + rest, "latin1") : input,
  };
}

function addressesOf(fields: readonly string[], name: string): readonly string[] {
  return fields
    .filter((field) => field.slice(0, field.indexOf(":")).trim().toLowerCase() === name)
    .map((field) => Buffer.from(field.slice(field.indexOf(":") + 1), "latin1").toString("utf8"))
    .flatMap((value) => addressParser(value, { flatten: true }))
    .map(({ address }) => address)
    .filter((address) => address !== "");
}

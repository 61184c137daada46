import type { MailhogPath } from "../mail.ts";

/** An address of the envelope as MailHog splits it: at the first colon, then at the first "@". */
export function parsePath(path: string): MailhogPath {
  const colon = path.indexOf(":");
  const address = path.slice(colon + 1);
  const at = address.indexOf("@");
  return {
    Relays: colon < 0 ? null : path.slice(0, colon).split(","),
    Mailbox: at < 0 ? address : address.slice(0, at),
    Domain: at < 0 ? "" : address.slice(at + 1),
    Params: "",
  };
}

/** The address of a path as MailHog searches it: with its "@", also where there is no domain. */
export function mailhogAddress(path: string): string {
  const { Mailbox, Domain } = parsePath(path);
  return `${Mailbox}@${Domain}`;
}

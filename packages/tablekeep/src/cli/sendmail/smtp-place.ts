import { CliError } from "../cli-error.ts";

/** Where an SMTP server is. */
export interface SmtpPlace {
  readonly host: string;
  readonly port: number;
}

/** `localhost:1025`, `[::1]:1025`. */
export function smtpPlace(text: string): SmtpPlace {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    throw new CliError("CLI_VALUE_INVALID", `${text} is no host:port: give one such as localhost:1025`);
  }
  return { host, port: Number(port) };
}

import { type SmtpServerOptions, smtpServer } from "@tablekeep/mail/smtp";
import { hostAndPort, type Listener, type ListenTarget, listen } from "../listening/listener.ts";
import { type Certificate, invalidOption, secureContextOf } from "../options/option-checks.ts";

/** Options of an SMTP listener. */
export interface SmtpListenerOptions extends Omit<SmtpServerOptions, "secureContext"> {
  readonly target: ListenTarget;
  /** What it does with messages. @default "stores all mail" */
  readonly purpose?: string;
  /** The certificate for TLS; STARTTLS is then offered. @default none */
  readonly certificate?: Certificate;
}

/** SMTP on one port. Stopping it lets messages in flight be stored. */
export function smtpListener({
  target,
  purpose = "stores all mail",
  certificate,
  ...options
}: SmtpListenerOptions): Listener {
  const { implicitTls = false } = options;
  if (implicitTls && certificate === undefined) throw invalidOption("implicitTls", "requires a certificate");
  const smtp = smtpServer({ ...options, secureContext: certificate && secureContextOf(certificate) });
  return {
    name: target.listener,
    purpose: `${implicitTls ? "SMTP with TLS" : "SMTP"}, ${purpose}`,
    server: smtp.server,
    async start() {
      const port = await listen(smtp.server, target);
      return `${implicitTls ? "smtps" : "smtp"}://${hostAndPort(target.host, port)}`;
    },
    stop: (graceMs) => smtp.stop(graceMs),
  };
}

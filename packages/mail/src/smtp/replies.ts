import { type SmtpReply, smtpReply } from "./smtp-reply.ts";

/** MailHog's own words wherever it has some: scripts and tests wait for them. */
export const replies = {
  ok: smtpReply(250, "Ok"),
  bye: smtpReply(221, "Bye"),
  unrecognised: smtpReply(500, "Unrecognised command"),
  lineTooLong: smtpReply(500, "Line too long"),
  lineEnd: smtpReply(500, "Lines must end with CR LF"),
  startTls: smtpReply(220, "Ready to start TLS"),
  startData: smtpReply(354, "End data with <CR><LF>.<CR><LF>"),
  invalidMail: smtpReply(550, "Invalid syntax in MAIL command"),
  invalidRcpt: smtpReply(550, "Invalid syntax in RCPT command"),
  noRecipients: smtpReply(554, "No valid recipients"),
  // RFC 5321, 4.5.3.1.10: temporary, because the same recipient is taken in the next message.
  tooManyRecipients: smtpReply(452, "Too many recipients: send the message again to the others"),
  tooLarge: smtpReply(552, "Message exceeds the maximum size"),
  dataLineTooLong: smtpReply(554, "A line of the message is too long"),
  authNeeded: smtpReply(530, "Authentication required"),
  authNeedsTls: smtpReply(538, "Encryption required for authentication"),
  authOk: smtpReply(235, "Authentication successful"),
  authFailed: smtpReply(535, "Authentication failed"),
  authCancelled: smtpReply(501, "Authentication cancelled"),
  authMalformed: smtpReply(550, "Badly formed parameter"),
  authUnsupported: smtpReply(504, "Unsupported authentication mechanism"),
  authContinue: smtpReply(334, ""),
  authUser: smtpReply(334, "VXNlcm5hbWU6"),
  authPassword: smtpReply(334, "UGFzc3dvcmQ6"),
  tooManyFaults: smtpReply(421, "Too many errors, closing"),
  tooManyCommands: smtpReply(421, "Too many commands without a message, closing"),
  greeting: (hostname: string, software: string): SmtpReply =>
    smtpReply(220, `${hostname} ESMTP ${software}`),
  hello: (name: string, ...extensions: string[]): SmtpReply => smtpReply(250, `Hello ${name}`, ...extensions),
  sender: (address: string): SmtpReply => smtpReply(250, `Sender ${address || "<>"} ok`),
  recipient: (address: string): SmtpReply => smtpReply(250, `Recipient ${address} ok`),
  invalidSender: (address: string): SmtpReply => smtpReply(550, `Invalid sender ${address || "<>"}`),
  invalidRecipient: (address: string): SmtpReply => smtpReply(550, `Invalid recipient ${address}`),
  queued: (id: string): SmtpReply => smtpReply(250, `Ok: queued as ${id}`),
} as const;

import type { Mail } from "@tablekeep/mail";

/** Where messages go: the part of a mail store that receives. */
export type MailSink = Pick<Mail, "receive">;

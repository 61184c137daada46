import type { Envelope } from "../../model/mail.ts";
import type { SmtpReply } from "./replies.ts";

/** What a client shows to sign in. */
export type SignIn =
  | { readonly mechanism: "PLAIN" | "LOGIN"; readonly user: string; readonly password: string }
  | {
      readonly mechanism: "CRAM-MD5";
      readonly user: string;
      readonly challenge: string;
      /** The HMAC of the challenge under the password, in hexadecimal digits. */
      readonly digest: string;
    }
  | { readonly mechanism: "EXTERNAL"; readonly user: string };

/** What the dialogue wants done next. Some steps want an {@link SmtpAnswer} before the next one. */
export type SmtpStep =
  /** Nothing can be done before more bytes come. */
  | { readonly kind: "more" }
  /** A line of the client, without its secrets: for a transcript. */
  | { readonly kind: "heard"; readonly line: string }
  /** Something that a person who reads the transcript should know. */
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "reply"; readonly reply: SmtpReply }
  /** Answer `granted` or `denied`. */
  | { readonly kind: "sign-in"; readonly signIn: SignIn }
  /** A message begins. Answer `failed` if it cannot be taken. */
  | { readonly kind: "begin"; readonly envelope: Envelope }
  /** The message goes on. Answer `failed` if it cannot be kept. */
  | { readonly kind: "content"; readonly bytes: Uint8Array }
  /** The message that began will not end: forget it. */
  | { readonly kind: "discard" }
  /** The message is complete. Answer `stored` once it is durable, or `failed`. */
  | { readonly kind: "commit" }
  /** Begin with TLS now; bytes that came before it are gone. */
  | { readonly kind: "upgrade" }
  /** The session is over. */
  | { readonly kind: "close" };

/** How a step went. */
export type SmtpAnswer =
  | { readonly kind: "granted" }
  | { readonly kind: "denied" }
  | { readonly kind: "stored"; readonly id: string }
  | { readonly kind: "failed"; readonly reply: SmtpReply };

/** A part of the dialogue: gives steps, and gets an answer to those that want one. */
export type SmtpSteps<Result = void> = Generator<SmtpStep, Result, SmtpAnswer | undefined>;

import type { Envelope } from "../../model/message.ts";
import type { SmtpReply } from "./replies.ts";

/** The credentials of a client. */
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

/** What the caller must do next. Some steps need an {@link SmtpAnswer} before the next one. */
export type SmtpStep =
  /** More bytes are needed. */
  | { readonly kind: "more" }
  /** A line of the client for the transcript, without secrets. */
  | { readonly kind: "received"; readonly line: string }
  /** A remark for the transcript. */
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "reply"; readonly reply: SmtpReply }
  /** Answer `granted` or `denied`. */
  | { readonly kind: "sign-in"; readonly signIn: SignIn }
  /** A message begins. Answer `failed` if it cannot be received. */
  | { readonly kind: "begin"; readonly envelope: Envelope }
  /** The next bytes of the message. Answer `failed` if they cannot be stored. */
  | { readonly kind: "content"; readonly bytes: Uint8Array }
  /** The message is abandoned: discard it. */
  | { readonly kind: "discard" }
  /** The message is complete. Answer `stored` once it is durable, or `failed`. */
  | { readonly kind: "commit" }
  /** Start TLS now; bytes received before it are dropped. */
  | { readonly kind: "upgrade" }
  /** The session is over. */
  | { readonly kind: "close" };

/** The result of a step. */
export type SmtpAnswer =
  | { readonly kind: "granted" }
  | { readonly kind: "denied" }
  | { readonly kind: "stored"; readonly id: string }
  | { readonly kind: "failed"; readonly reply: SmtpReply };

/** A part of the dialogue: yields steps, and receives an answer to those that need one. */
export type SmtpSteps<Result = void> = Generator<SmtpStep, Result, SmtpAnswer | undefined>;

import { randomUUID } from "node:crypto";
import type { SignIn, SignInRules } from "@tablekeep/mail";
import type { PasswordCheck } from "../auth/password-check.ts";

/** Decides who may come in. */
export interface SignInGate {
  readonly rules: SignInRules;
  /** Whether somebody from this address may. */
  check(signIn: SignIn, from: string): Promise<boolean>;
}

/**
 * Without users everybody is welcome, with any password and without one. With users every message needs one of them; the
 * hashes of their passwords do not allow CRAM-MD5, and where there is a certificate, no password is taken without TLS.
 */
export function signInGate(
  hostname: string,
  passwordFits: PasswordCheck | undefined,
  hasCertificate: boolean,
): SignInGate {
  const challenge = () => `<${randomUUID()}@${hostname}>`;
  if (passwordFits === undefined) {
    const mechanisms = ["PLAIN", "LOGIN", "CRAM-MD5"] as const;
    return {
      rules: { mechanisms, required: false, withoutTls: true, challenge },
      check: () => Promise.resolve(true),
    };
  }
  return {
    rules: { mechanisms: ["PLAIN", "LOGIN"], required: true, withoutTls: !hasCertificate, challenge },
    check: async (signIn, from) => "password" in signIn && passwordFits(signIn.user, signIn.password, from),
  };
}

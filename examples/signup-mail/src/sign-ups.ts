import { randomBytes, randomInt } from "node:crypto";

/** The secrets in the mail to a new member. Each of them confirms the address. */
export interface Secrets {
  readonly token: string;
  readonly code: string;
}

interface SignUp extends Secrets {
  readonly email: string;
  confirmed: boolean;
  guessesLeft: number;
}

/** Addresses that signed up, and whether they are confirmed. */
export interface SignUps {
  /** Returns new secrets for an address, and revokes earlier ones. Undefined if it is already confirmed. */
  start(email: string): Secrets | undefined;
  /** Returns whether the code is right. Each code allows five attempts. */
  confirmByCode(email: string, code: string): boolean;
  /** Returns the address of a link. */
  confirmByToken(token: string): string | undefined;
  isConfirmed(email: string): boolean;
}

/** Keeps sign-ups in memory. */
export function createSignUps(): SignUps {
  const byEmail = new Map<string, SignUp>();
  return {
    start(email) {
      if (byEmail.get(email)?.confirmed) return undefined;
      const secrets = {
        token: randomBytes(24).toString("base64url"),
        code: String(randomInt(1_000_000)).padStart(6, "0"),
      };
      byEmail.set(email, { email, ...secrets, confirmed: false, guessesLeft: 5 });
      return secrets;
    },
    confirmByCode(email, code) {
      const signUp = byEmail.get(email);
      if (signUp === undefined || signUp.guessesLeft-- <= 0 || signUp.code !== code) return false;
      signUp.confirmed = true;
      return true;
    },
    confirmByToken(token) {
      const signUp = [...byEmail.values()].find((each) => each.token === token);
      if (signUp !== undefined) signUp.confirmed = true;
      return signUp?.email;
    },
    isConfirmed: (email) => byEmail.get(email)?.confirmed ?? false,
  };
}

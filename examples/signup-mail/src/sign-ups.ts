import { randomBytes, randomInt } from "node:crypto";

/** What the mail to a new member holds. Either of the two confirms the address. */
export interface Secrets {
  readonly token: string;
  readonly code: string;
}

interface SignUp extends Secrets {
  readonly email: string;
  confirmed: boolean;
  guessesLeft: number;
}

/** Who signed up, and who has shown that the address is theirs. */
export interface SignUps {
  /** New secrets for an address; those before are void. Undefined if it is confirmed already. */
  start(email: string): Secrets | undefined;
  /** Whether the code fits. A code may be guessed at five times. */
  confirmByCode(email: string, code: string): boolean;
  /** The address that a link belongs to. */
  confirmByToken(token: string): string | undefined;
  isConfirmed(email: string): boolean;
}

/** Sign-ups that are kept as long as the process lives. */
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

import type { Secrets } from "./sign-ups.ts";

/** A mail in nodemailer's format. */
export interface WelcomeMail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Returns the mail that asks a new member to confirm the address. `url` is the address of the service. */
export function welcomeMail(to: string, { token, code }: Secrets, url: string): WelcomeMail {
  const link = new URL(`/confirm?token=${token}`, url).href;
  return {
    from: "Example <welcome@shop.example>",
    to,
    subject: "Please confirm your address",
    text: `Welcome!\n\nOpen ${link}\nor enter the code ${code}.\n`,
    html: `<p>Welcome!</p><p><a href="${link}">Confirm your address</a> or enter the code <b>${code}</b>.</p>`,
  };
}

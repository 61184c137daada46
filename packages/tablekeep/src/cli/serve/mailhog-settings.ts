import type { Setting } from "./setting.ts";

/** What the command line and MailHog's variables may say in MailHog's words, where we have others. */
export interface MailhogSettings {
  readonly smtpBindAddr: string | undefined;
  readonly apiBindAddr: string | undefined;
  readonly uiBindAddr: string | undefined;
  readonly storage: string | undefined;
}

/** They have neither a variable of ours nor a place in the file. */
export const mailhogSettings: Readonly<
  Record<keyof MailhogSettings, Setting & { readonly mailhog: string }>
> = {
  smtpBindAddr: {
    flag: "--smtp-bind-addr <host:port>",
    text: "MailHog's way to say --smtp-host and --smtp-port",
    type: "text",
    mailhog: "MH_SMTP_BIND_ADDR",
  },
  apiBindAddr: {
    flag: "--api-bind-addr <host:port>",
    text: "MailHog's way to say --http-host and --http-port",
    type: "text",
    mailhog: "MH_API_BIND_ADDR",
  },
  uiBindAddr: {
    flag: "--ui-bind-addr <host:port>",
    text: "the same as --api-bind-addr: the page and the API share one port",
    type: "text",
    mailhog: "MH_UI_BIND_ADDR",
  },
  storage: {
    flag: "--storage <kind>",
    text: "only memory is taken, and messages are kept with all other data all the same",
    type: "text",
    mailhog: "MH_STORAGE",
  },
};

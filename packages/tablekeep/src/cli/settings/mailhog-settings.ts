import { entriesOf, type Setting } from "./setting.ts";

/** MailHog's own names of settings that have other names here. They have no variable and no key in the file. */
export const mailhogSettings = {
  smtpBindAddr: {
    flag: "--smtp-bind-addr <host:port>",
    text: "same as --smtp-host and --smtp-port",
    group: "MailHog compatibility",
    type: "text",
    mailhog: "MH_SMTP_BIND_ADDR",
  },
  apiBindAddr: {
    flag: "--api-bind-addr <host:port>",
    text: "same as --http-host and --http-port",
    group: "MailHog compatibility",
    type: "text",
    mailhog: "MH_API_BIND_ADDR",
  },
  uiBindAddr: {
    flag: "--ui-bind-addr <host:port>",
    text: "same as --api-bind-addr; the console and the API share one port",
    group: "MailHog compatibility",
    type: "text",
    mailhog: "MH_UI_BIND_ADDR",
  },
  storage: {
    flag: "--storage <kind>",
    text: "accepted for compatibility; memory is the only value and has no effect",
    group: "MailHog compatibility",
    type: "text",
    mailhog: "MH_STORAGE",
  },
} as const;

/** The key of a setting by MailHog's name. */
export type MailhogKey = keyof typeof mailhogSettings;

/** MailHog's settings without the types of single settings. */
export const mailhogEntries: readonly (readonly [MailhogKey, Setting])[] = entriesOf(mailhogSettings);

import type { ComponentType } from "preact";
import { MailScreen } from "./mail/mail-screen.tsx";
import type { Route } from "./shell/route.ts";

/** One screen of the console. */
export interface Screen {
  /** The first part of its addresses: `#/mail`. */
  readonly name: string;
  readonly title: string;
  /** `g` and this key lead to it. */
  readonly key: string;
  readonly view: ComponentType<{ readonly route: Route }>;
}

/** All screens, in the order of the top bar. The first is where the console begins. */
export const screens: readonly [Screen, ...Screen[]] = [
  { name: "mail", title: "Mail", key: "m", view: MailScreen },
];

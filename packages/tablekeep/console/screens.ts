import type { ComponentType } from "preact";
import { JournalScreen } from "./journal/journal-screen.tsx";
import { MailScreen } from "./mail/mail-screen.tsx";
import { OverviewScreen } from "./overview/overview-screen.tsx";
import { ProjectionsScreen } from "./projections/projections-screen.tsx";
import { ShadowsScreen } from "./shadows/shadows-screen.tsx";
import type { Route } from "./shell/route.ts";
import { TablesScreen } from "./tables/tables-screen.tsx";

/** One screen of the console. */
export interface Screen {
  /** The first part of its addresses: `#/mail`. */
  readonly name: string;
  readonly title: string;
  /** `g` and this key lead to it. */
  readonly key: string;
  readonly view: ComponentType<{ readonly route: Route }>;
}

/** All screens, in the order of the top bar. The first is where the console begins: most people wait for a mail. */
export const screens: readonly [Screen, ...Screen[]] = [
  { name: "mail", title: "Mail", key: "m", view: MailScreen },
  { name: "journal", title: "Journal", key: "j", view: JournalScreen },
  { name: "projections", title: "Projections", key: "p", view: ProjectionsScreen },
  { name: "shadows", title: "Shadows", key: "s", view: ShadowsScreen },
  { name: "tables", title: "Tables", key: "t", view: TablesScreen },
  { name: "overview", title: "Overview", key: "o", view: OverviewScreen },
];

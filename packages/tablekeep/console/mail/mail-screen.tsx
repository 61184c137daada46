import type { VNode } from "preact";
import type { Route } from "../shell/route.ts";
import { MessagesScreen } from "./messages-screen.tsx";
import { SessionsScreen } from "./sessions-screen.tsx";
import "./mail.css";

/** Received mail: `#/mail/ID`, of a named inbox with `?inbox=NAME`, and the SMTP sessions: `#/mail/sessions/ID`. */
export function MailScreen({ route }: { readonly route: Route }): VNode {
  const [first, second] = route.path;
  if (first === "sessions") return <SessionsScreen route={route} openId={second} />;
  return <MessagesScreen route={route} openId={first} />;
}

import type { ShadowView } from "@tablekeep/shadow";
import { viewJson } from "../../server/shadow/shadow-json.ts";
import type { CommandContext } from "../command-context.ts";

/** Prints a shadow as one line of JSON, for people too: its numbers are exact, however large. */
export function printView(view: ShadowView, { io }: CommandContext): void {
  io.stdout.write(`${viewJson(view)}\n`);
}

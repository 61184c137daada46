import type { MailCall } from "../model/mail-context.ts";
import type { Watched } from "./resume-watch.ts";

/** Ids are made this much before a message is visible at most, and clocks of instances differ by less. */
const settledMs = 300_000;

/**
 * The position after the newest message and after all imports: an imported message is announced later than its id tells. If the newest
 * message is old, the position is a few minutes ago, because imports since then are all that has to be read.
 */
export async function positionAfter(
  { context, layout }: Pick<Watched, "context" | "layout">,
  newest: string,
  call: MailCall,
): Promise<string> {
  const { changes } = layout;
  if (changes === undefined) return newest;
  const settled = layout.idAt(context.clock.now() - settledMs);
  const from = newest > settled ? newest : settled;
  const imports = await changes.importsSince(layout.timeOf(from), Number.POSITIVE_INFINITY, call);
  // They are ordered, and an instance whose clock is behind makes lower ids.
  return imports.findLast(({ id }) => id > from)?.id ?? from;
}

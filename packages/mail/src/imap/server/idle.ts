import { ImapSyntaxError } from "../protocol/imap-values.ts";
import type { SelectedView } from "./selected-view.ts";
import type { ImapSessionState } from "./session-state.ts";

/** Unsent bytes of a client that does not read while it is idle. */
const maxUnsent = 262_144;

/** IDLE: reports changes as they happen, until the client sends DONE. */
export async function idle(session: ImapSessionState, view: SelectedView): Promise<string> {
  const { stream } = session;
  const report = () => {
    for (const answer of view.sync({ removals: true })) if (stream.writable) stream.write(answer);
    if (stream.writableLength > maxUnsent) stream.destroy();
  };
  await session.write(["+ idling\r\n"]);
  const stop = view.mailbox.onChange(report);
  try {
    report();
    const line = await session.input.line();
    if (line === undefined) throw new Error("the client disconnected");
    if (line.toUpperCase() !== "DONE") throw new ImapSyntaxError("expected DONE");
    return "IDLE completed";
  } finally {
    stop();
  }
}

import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError, callApi } from "../api/call-api.ts";
import { useLiveEvents } from "../api/use-live-events.ts";
import type { MailMarks, MailSummary } from "./mail-message.ts";
import { mailPath, messagePath } from "./mail-message.ts";
import { markRead } from "./mark-requests.ts";
import { searchArrivals } from "./search-arrivals.ts";
import type { MailSearch } from "./search-kinds.ts";
import type { MailRows } from "./use-mail-rows.ts";

/** The effects of changes to messages on the screen. */
export interface OpenMail {
  /** The messages that are chosen. A deleted one is not. */
  readonly chosen: ReadonlySet<string>;
  readonly setChosen: (chosen: ReadonlySet<string>) => void;
  /** Whether the open message was deleted while it was shown. */
  readonly isDeleted: boolean;
  /** The marks of the open message, if they were changed while it was shown. */
  readonly marks: MailMarks | undefined;
  readonly setMarks: (marks: MailMarks) => void;
}

/**
 * Keeps the list, the choice and the open message up to date, and marks that one as read. Calls `onChange` if the number of messages
 * may have changed.
 */
export function useMailChanges(
  rows: MailRows,
  search: MailSearch,
  openId: string | undefined,
  onChange: () => void,
): OpenMail {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [deletedId, setDeletedId] = useState<string>();
  const [marks, setMarks] = useState<MailMarks>();
  useEffect(() => setChosen(new Set()), [rows]);
  useEffect(() => {
    if (openId !== undefined) void markRead(search.inbox, openId, rows);
  }, [search.inbox, openId]);
  const onMarked = (messages: readonly MailMarks[]) => {
    rows.change(new Map(messages.map((each) => [each.id, each])));
    const open = messages.find(({ id }) => id === openId);
    if (open !== undefined) setMarks(open);
  };
  const onCleared = async () => {
    setChosen(new Set());
    rows.reload();
    if (openId !== undefined && (await isGone(search.inbox, openId))) setDeletedId(openId);
  };
  useChangeEvents(rows, search, {
    onChange,
    onMarked,
    onCleared: () => void onCleared(),
    onDeleted(ids) {
      rows.remove(new Set(ids));
      if (openId !== undefined && ids.includes(openId)) setDeletedId(openId);
      setChosen((before) =>
        ids.some((id) => before.has(id)) ? new Set([...before].filter((id) => !ids.includes(id))) : before,
      );
    },
  });
  return {
    chosen,
    setChosen,
    isDeleted: openId !== undefined && deletedId === openId,
    marks: marks?.id === openId ? marks : undefined,
    setMarks: (changed) => onMarked([changed]),
  };
}

/** Whether a message does not exist any more. It may have arrived after all others were deleted. */
async function isGone(inbox: string, id: string): Promise<boolean> {
  try {
    await callApi(messagePath(inbox, id));
    return false;
  } catch (error) {
    return error instanceof ApiError && error.status === 404;
  }
}

interface ChangeListener {
  readonly onChange: () => void;
  /** All messages were deleted, or it is unknown which. */
  readonly onCleared: () => void;
  readonly onDeleted: (ids: readonly string[]) => void;
  readonly onMarked: (messages: readonly MailMarks[]) => void;
}

/**
 * Adds new messages at the top, and reports deletes and marks, whichever client makes them. The server decides what a search
 * finds, and where an imported message is.
 */
function useChangeEvents(rows: MailRows, search: MailSearch, listener: ChangeListener): void {
  const { onChange, onCleared, onDeleted, onMarked } = listener;
  const { catchUp } = rows;
  const arrivals = useMemo(() => catchUp && searchArrivals(catchUp), [rows]);
  const imports = useMemo(() => searchArrivals(async () => rows.reload()), [rows]);
  useEffect(() => () => arrivals?.close(), [arrivals]);
  useEffect(() => () => imports.close(), [imports]);
  const onMessage = (message: MailSummary) => {
    if (message.imported === true) imports.arrived();
    else if (search.query === "") rows.prepend(message);
    else arrivals?.arrived();
  };
  useLiveEvents(`${mailPath(search.inbox)}/events`, ["message", "deleted", "marked", "cleared", "reset"], {
    onEvent(data, type) {
      if (type !== "marked") onChange();
      if (type === "cleared" || type === "reset") onCleared();
      else if (type === "marked") onMarked((JSON.parse(data) as { messages: MailMarks[] }).messages);
      else if (type === "deleted") onDeleted((JSON.parse(data) as { ids: string[] }).ids);
      else onMessage(JSON.parse(data) as MailSummary);
    },
    onResume: rows.reload,
  });
}

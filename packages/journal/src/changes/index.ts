/**
 * journal/changes: what changes to a journal's items say about its events, for feeds.
 *
 * Here: the writes that a change commits, the writes that an id has, and the events of writes.
 * Not here: streams and feeds, which are `@tablekeep/feed`; what an application needs to write and read events, which is `@tablekeep/journal`.
 */
export type { UnreadableItem } from "./damaged-writes.ts";
export type { JournalWrite, StreamChange } from "./journal-write.ts";
export { type JournalChanges, openJournalChanges } from "./open-journal-changes.ts";
export type { Neighbors, WriteRange, WritesOfIdOptions, WriteToRead } from "./read-writes.ts";

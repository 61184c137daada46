/**
 * Every fifth event has expired when it is appended. Whether its data was removed or not, a replay returns it without its payload
 * and with its id, which is what it would have been.
 */
const isExpiring = (text) => Number(text.split("-").at(-1)) % 5 === 0;

const asAppended = (event) =>
  isExpiring(event.payload) ? { ...event, id: event.payload, expiresAt: 1 } : event;

const writeOf = (write) => (Array.isArray(write) ? write.map(asAppended) : asAppended(write));

/** Returns the text of an event that was read. Reports one that has expired and has a payload, or the other way round. */
export function textOf({ problems }, { persistenceId, sequenceNr, payload, id, gone }) {
  const text = gone === "expired" ? id : payload;
  if (
    typeof text !== "string" ||
    isExpiring(text) !== (gone === "expired") ||
    (gone && payload !== undefined)
  )
    problems.push(
      `event ${sequenceNr} of ${persistenceId} is ${payload}, its id is ${id}, and it is ${gone}`,
    );
  return text;
}

/** A journal of which every fifth event expires. */
export function expiringJournal(world, journal) {
  return {
    ...journal,
    append: (id, write, options) => journal.append(id, writeOf(write), options),
    async recover(id, options) {
      const writer = await journal.recover(id, options);
      return {
        persistenceId: writer.persistenceId,
        writerUuid: writer.writerUuid,
        get highestSequenceNr() {
          return writer.highestSequenceNr;
        },
        append: (write, each) => writer.append(writeOf(write), each),
        appendEach: (writes, each) => writer.appendEach(writes.map(writeOf), each),
      };
    },
    async *replay(id, options) {
      for await (const event of journal.replay(id, options))
        yield { ...event, payload: textOf(world, event) };
    },
  };
}

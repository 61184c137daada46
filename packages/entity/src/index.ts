/**
 * entity: event-sourced entities.
 *
 * Here: definitions, the host that recovers, decides, appends and passivates, command ledger, retention.
 * Not here: the journal and its layouts; anything that knows which port it stands on.
 */
export {};

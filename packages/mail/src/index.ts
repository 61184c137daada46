/**
 * mail: messages and their inbox.
 *
 * Here: the store in two layouts, MIME, search, retention, the SMTP dialogue and MailHog's API semantics as pure functions.
 * Not here: sockets and listeners, which the program has; the embedded engine.
 */
export {};

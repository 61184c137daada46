/**
 * shadow: device shadows.
 *
 * Here: the store in godeviceshadow's layout, merge, delta, policies, REST and MQTT semantics as pure functions.
 * Not here: sockets and listeners, which the program has; the embedded engine.
 */
export {};

/** Turns older versions of an event into today's. The n-th step reads version n. */
export interface Upcaster<out Newest> {
  readonly steps: readonly ((event: never) => unknown)[];
  /** Adds the step from the newest version so far to the next one. */
  to<Next>(step: (event: Newest) => Next): Upcaster<Next>;
}

/**
 * Begins with the step that turns version 1 of an event into version 2; `to` adds further ones. An event with n steps is
 * stored as version n + 1. Each step is typed by the one before, and the last must give an event of the definition.
 *
 * @example
 * upcasters: { added: upcastFrom((v1: AddedV1): Added => ({ ...v1, quantity: 1 })) }
 */
export function upcastFrom<Oldest, Next>(step: (event: Oldest) => Next): Upcaster<Next> {
  return upcaster([step]);
}

function upcaster<Newest>(steps: Upcaster<Newest>["steps"]): Upcaster<Newest> {
  return { steps, to: (step) => upcaster([...steps, step]) };
}

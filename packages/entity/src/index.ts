/**
 * entity: event-sourced entities.
 *
 * Here: definitions, the host that recovers, decides, appends and passivates, command ledger, retention.
 * Not here: the journal and its layouts; anything that knows which port it stands on.
 */
export { type DecideContext, type Decision, type Refusal, refuse } from "./definition/decision.ts";
export { defineEntity, type EntitySpec } from "./definition/define-entity.ts";
export type {
  AnyEntity,
  CommandOf,
  EntityDefinition,
  EventOf,
  ReplyOf,
  StateOf,
} from "./definition/entity-definition.ts";
export type { SchemaIssue, SchemaResult, StandardSchema } from "./definition/standard-schema.ts";
export { type Upcaster, upcastFrom } from "./definition/upcaster.ts";
export {
  EntityError,
  type EntityErrorCode,
  type EntityErrorDetails,
  type EntityErrorExtra,
  type EntityPlace,
  entityErrorKinds,
  isEntityError,
} from "./entity-error.ts";
export type {
  AskOptions,
  Entities,
  EntityCallOptions,
  EntityHost,
  Moment,
  StateView,
} from "./host/entity-host.ts";
export type { EntitiesOptions } from "./host/host-options.ts";
export { openEntities } from "./host/open-entities.ts";
export { type LedgerOptions, ledgerTableSpec } from "./ledger/ledger-options.ts";
export type { RecoveryOptions } from "./recovery/recovery-options.ts";

/**
 * entity: event-sourced entities.
 *
 * Here: definitions, the host that recovers, decides, appends and passivates, the command ledger, retention.
 * Not here: the journal and its layouts; anything that depends on a particular backend.
 */

export type { SchemaIssue, SchemaResult, StandardSchema } from "@tablekeep/core";
export type { EntityCallOptions } from "./call-options.ts";
export {
  type DecideContext,
  type Decision,
  type DeepReadonly,
  type Refusal,
  refuse,
} from "./definition/decision.ts";
export { type DefinitionTypes, defineEntity, type EntitySpec } from "./definition/define-entity.ts";
export {
  type DefinitionByType,
  defineEntityByCommand,
  type EntitySpecByCommand,
} from "./definition/define-entity-by-command.ts";
export type {
  AnyEntity,
  CommandOf,
  EntityDefinition,
  EventOf,
  RefusalOf,
  ReplyOf,
  ReplyTo,
  StateOf,
} from "./definition/entity-definition.ts";
export { refusalOf, type Upcaster, upcastFrom } from "./definition/entity-definition.ts";
export {
  type DefinitionMember,
  type EntityAddress,
  EntityError,
  type EntityErrorCode,
  type EntityErrorDetails,
  type EntityErrorExtra,
  entityErrorKinds,
  isEntityError,
} from "./entity-error.ts";
export type {
  AskOptions,
  Entities,
  EntityHost,
  Moment,
  StateView,
} from "./host/entity-host.ts";
export { openEntities } from "./host/open-entities.ts";
export type { EntitiesOptions } from "./host-options.ts";
export { type LedgerOptions, ledgerTableSpec } from "./ledger/ledger-options.ts";
export type { RecoveryOptions } from "./recovery/recovery-options.ts";

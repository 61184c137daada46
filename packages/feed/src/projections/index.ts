/**
 * feed/projections: read models that are maintained from a feed.
 *
 * Here: defining projections, running them in any number of processes, and controlling them.
 * Not here: the feed itself, which is `@tablekeep/feed`; the tables that handlers write.
 */

export type { RewindTarget } from "./control/feed-cursors.ts";
export type { ParkedEvent } from "./control/parked-events.ts";
export type { ProjectionSliceStatus, ProjectionStatus } from "./control/projection-status.ts";
export type { ProjectionFinding, ProjectionVerification } from "./control/verify-projection.ts";
export { openProjections } from "./open-projections.ts";
export {
  type ActionCondition,
  type ActionOptions,
  type AtLeastOnceDefinition,
  type AttributeChanges,
  defineProjection,
  type EventContext,
  type ExactlyOnceDefinition,
  type ExternalDefinition,
  type ExternalEventContext,
  type Projection,
  type ProjectionDefinition,
  type ProjectionRetry,
  type ProjectionTransaction,
  projectionOptionNames,
} from "./projection.ts";
export {
  isProjectionError,
  ProjectionError,
  type ProjectionErrorCode,
  type ProjectionErrorDetails,
  projectionErrorKinds,
} from "./projection-error.ts";
export {
  type ProjectionsOptions,
  projectionsOptionNames,
  projectionTableSpec,
  type RunProjectionsOptions,
  runProjectionsOptionNames,
} from "./projection-options.ts";
export type {
  DropSelection,
  ForceOptions,
  ParkedOptions,
  ParkedSelection,
  Projections,
  VersionOptions,
} from "./projections.ts";
export { runProjections } from "./run-projections.ts";
export type {
  ReachedOptions,
  ReachedTarget,
  RunningProjections,
  RunningStatus,
} from "./running-projections.ts";
export type { FailedEvent, ProjectionMode, ProjectionRecord } from "./store/projection-items.ts";

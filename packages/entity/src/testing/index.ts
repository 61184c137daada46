/** testing: tests of entities without a store, for any test runner. */

export { type CheckEntityOptions, checkEntity } from "./check-entity.ts";
export {
  type ExpectedError,
  type Scenario,
  type ScenarioContext,
  type ScenarioEnd,
  scenarioOf,
} from "./scenario.ts";

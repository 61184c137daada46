import type { RouteGroup } from "./http/http-route.ts";
import type { UpgradeRoute } from "./http/upgrades.ts";
import type { Listener } from "./listening/listener.ts";
import type { Metric } from "./metrics/metrics.ts";

/** One part of a server: its own listeners, and its share of the HTTP listener. */
export interface ServerPart {
  readonly listeners?: readonly Listener[];
  readonly groups?: readonly RouteGroup[];
  readonly upgrades?: readonly UpgradeRoute[];
  /** The schemas that its operations name, for the OpenAPI document. */
  readonly schemas?: Readonly<Record<string, object>>;
  /** Its metrics. */
  readonly metrics?: readonly Metric[];
  /** Its background work that is currently failing, by name. */
  failing?(): readonly string[];
}

/**
 * Registers what closes a resource that a part has opened. Called once all listeners have stopped, before the backend is closed, or when
 * the part cannot be opened; the last resource is closed first.
 */
export type OnClose = (close: () => void | Promise<void>) => void;

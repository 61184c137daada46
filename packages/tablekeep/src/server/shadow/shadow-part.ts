import { awsShadows, openShadowManager, shadowTableSpec } from "@tablekeep/shadow";
import { passwordCheck, SignInThrottle } from "../auth/password-check.ts";
import type { Backend } from "../backend/open-backend.ts";
import { type Metric, readMetric } from "../metrics/metrics.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { ShadowStoreConfig } from "../options/store-configs.ts";
import type { ServerPart } from "../server-part.ts";
import { dataPlaneGroup } from "./data-plane-routes.ts";
import { type MqttBroker, mqttBroker } from "./mqtt/mqtt-broker.ts";
import { mqttListener, mqttSocketRoute } from "./mqtt/mqtt-listener.ts";
import type { MqttMessage } from "./mqtt/mqtt-session.ts";
import { shadowFeed } from "./shadow-feed.ts";
import { shadowRoutes, shadowSchemas } from "./shadow-routes.ts";
import { shadowService } from "./shadow-service.ts";
import { shadowStoreRoutes } from "./shadow-store-routes.ts";

/** The device shadows of a server: AWS IoT's data plane over HTTP and MQTT, and our own API. */
export async function shadowPart(backend: Backend, options: ResolvedServerOptions): Promise<ServerPart> {
  if (options.shadows === false) return {};
  const { mqttHost: host, mqtt, mqttPort, clock, logger, accessKeys } = options;
  const { users, ownThingOnly = false, others = [], certificate, clientCa } = options.shadows;
  const first = openStore(backend, options.shadows, options);
  const { shadows, manager, feed } = first;
  const publish = (message: MqttMessage) => broker?.publish(message);
  const service = shadowService({
    shadows,
    limits: manager.limits,
    feed,
    publish: (message) => publish({ ...message, qos: 1 }),
    onUnexpected: (error) => logger.error("MQTT request failed", { error }),
  });
  const passwordFits = users && passwordCheck(users, new SignInThrottle(clock));
  const needsCertificate = clientCa !== undefined;
  const broker = mqtt
    ? mqttBroker({ service, passwordFits, needsCertificate, ownThingOnly, clock, logger })
    : undefined;
  const plane = {
    shadows,
    service,
    publish,
    accessKeys,
    now: () => clock.now(),
    logger,
  };
  const stores = [first, ...others.map((config) => openStore(backend, config, options))];
  const place = { listener: "mqtt", host, port: mqttPort, portFlag: "--mqtt-port" };
  return {
    groups: [dataPlaneGroup(plane), { routes: [...first.routes, ...shadowStoreRoutes(stores)] }],
    schemas: shadowSchemas,
    listeners: broker === undefined ? [] : [mqttListener({ place, broker, clock, certificate, clientCa })],
    upgrades: broker === undefined ? [] : [mqttSocketRoute("/mqtt", broker)],
    metrics: broker === undefined ? [] : [mqttClients(broker)],
    async close() {
      for (const store of stores) store.feed.close();
      broker?.close();
    },
  };
}

/** One store with its API. Only the first has MQTT subscribers. */
function openStore(
  backend: Backend,
  { name = "shadows", store, manager: managerOptions }: ShadowStoreConfig,
  { clock, logger }: ResolvedServerOptions,
) {
  const opened = openShadowManager(backend.port, { clock, logger, ...store }, managerOptions);
  const { name: table } = shadowTableSpec(store?.table);
  const feed = shadowFeed(backend, { table, manager: opened, clock, logger });
  const { manager } = feed;
  const routes = shadowRoutes(manager, clock, feed);
  return { name, manager, shadows: awsShadows(manager, clock), feed, routes };
}

function mqttClients(broker: MqttBroker): Metric {
  return readMetric("gauge", "tablekeep_mqtt_clients", "Connected MQTT clients.", () => broker.clients());
}

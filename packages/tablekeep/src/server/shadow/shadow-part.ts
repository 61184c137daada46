import {
  awsShadows,
  ConnectionLog,
  openRollouts,
  openShadowManager,
  shadowTableSpec,
} from "@tablekeep/shadow";
import { passwordCheck, SignInThrottle } from "../auth/password-check.ts";
import type { Backend } from "../backend/open-backend.ts";
import { type Metric, readMetric } from "../metrics/metrics.ts";
import { type MqttBroker, mqttBroker } from "../mqtt/mqtt-broker.ts";
import { mqttListener, mqttSocketRoute } from "../mqtt/mqtt-listener.ts";
import type { MqttMessage } from "../mqtt/protocol/mqtt-message.ts";
import { RejectionLog } from "../mqtt/rejection-log.ts";
import { tableSessionStore } from "../mqtt/sessions/table-session-store.ts";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { ShadowConfig, ShadowStoreConfig } from "../options/store-configs.ts";
import type { OnClose, ServerPart } from "../server-part.ts";
import { backgroundServices } from "./background-services.ts";
import { dataPlaneGroup } from "./data-plane-routes.ts";
import { mqttGuard } from "./mqtt-guard.ts";
import { presence } from "./presence.ts";
import { rolloutRoutes } from "./rollout-routes.ts";
import { RolloutRunner } from "./rollout-runner.ts";
import { ruleRoutes } from "./rules/rule-routes.ts";
import { polledFeed, shadowFeed, streamFeed } from "./shadow-feed.ts";
import { shadowRoutes, shadowSchemas } from "./shadow-routes.ts";
import { shadowService } from "./shadow-service.ts";
import { shadowStoreRoutes } from "./shadow-store-routes.ts";
import { awsTopics } from "./topic-rules.ts";
import { folderBroker } from "./unserved-changes.ts";

/** The device shadows of a server: AWS IoT's data plane over HTTP and MQTT, and our own API. */
export async function shadowPart(
  backend: Backend,
  options: ResolvedServerOptions,
  onClose: OnClose,
): Promise<ServerPart> {
  if (options.shadows === false) return {};
  const { mqttHost: host, mqtt, mqttPort, clock, logger, accessKeys } = options;
  const { users, tokens, policies, ownThingOnly = false } = options.shadows;
  const { others = [], certificate, clientCa } = options.shadows;
  const sessions = sessionStore(backend, options);
  const settled = async () => void (await sessions?.flush());
  const first = openStore(backend, options.shadows, options, settled, mqtt);
  const { shadows, manager, feed } = first;
  const publish = async (message: MqttMessage) => broker?.publish(message);
  const announce = (message: MqttMessage) => {
    publish(message).catch((error: unknown) => logger.error("could not store an MQTT message", { error }));
  };
  const service = shadowService({
    shadows,
    limits: manager.limits,
    clock,
    feed,
    publish: (message) => announce({ ...message, qos: 1 }),
    isWanted: (topic) => broker?.hasSubscribers(topic) === true,
    onUnexpected: (error) => logger.error("MQTT request failed", { error }),
  });
  const passwords = users && { users, check: passwordCheck(users, new SignInThrottle(clock)) };
  const needsCertificate = clientCa !== undefined;
  const guard = mqttGuard({ passwords, tokens, needsCertificate, ownThingOnly, policies });
  const topics = awsTopics(service, () => clock.now());
  const log = mqtt ? connectionLog(backend, options) : undefined;
  onClose(() => log?.close());
  await log?.start();
  const now = () => clock.now();
  const onConnected = log && presence({ log, now, publish: (message) => announce({ ...message, qos: 1 }) });
  const rejections = new RejectionLog({ clock, logger });
  const broker = mqtt
    ? await mqttBroker({ service: topics, guard, clock, logger, rejections, store: sessions, onConnected })
    : undefined;
  onClose(() => broker?.close());
  const plane = { shadows, service, topics, broker, publish, accessKeys, policies, now, logger };
  const stores = [first, ...others.map((config) => openStore(backend, config, options, settled))];
  for (const { feed: changes, runner } of stores) {
    onClose(() => changes.close());
    onClose(() => runner.close());
    await changes.start?.();
  }
  const services = backgroundServices(backend, first, options);
  onClose(() => services.close());
  await services.start();
  for (const { runner } of stores) runner.start();
  const target = { listener: "mqtt", host, port: mqttPort, portFlag: "--mqtt-port" };
  return {
    groups: [
      dataPlaneGroup(plane),
      { routes: [...first.routes, ...ruleRoutes(services.rules, policies), ...shadowStoreRoutes(stores)] },
    ],
    schemas: shadowSchemas,
    listeners:
      broker === undefined
        ? []
        : [mqttListener({ target, broker, clock, rejections, certificate, clientCa })],
    upgrades: broker === undefined ? [] : [mqttSocketRoute("/mqtt", broker)],
    metrics: [...(broker === undefined ? [] : [mqttClients(broker)]), ...services.metrics],
    failing: () => (services.rules.isFailing ? ["shadow rules"] : []),
  };
}

/** One store with its API. Only the first has MQTT subscribers. */
function openStore(
  backend: Backend,
  { name = "shadows", store, manager: managerOptions, ...config }: ShadowStoreConfig & ShadowConfig,
  { clock, logger, createTables, shadows }: ResolvedServerOptions,
  settled: () => Promise<void>,
  hasSubscribers = false,
) {
  const validate = shadows === false ? undefined : shadows.schemas?.validator(logger);
  const checked = validate === undefined ? managerOptions : { validate, ...managerOptions };
  const opened = openShadowManager(backend.port, { clock, logger, ...store }, checked);
  const { name: table } = shadowTableSpec(store?.table);
  const shared = { table, manager: opened, clock, logger };
  const { stream = false, pollSeconds, mqttName } = config;
  const policies = shadows === false ? undefined : shadows.policies;
  const server = shadows === false ? undefined : lastingName(backend, shadows);
  const unserved = hasSubscribers && server !== undefined ? { broker: server, settled } : undefined;
  const feed =
    stream && backend.engine === undefined
      ? streamFeed({
          ...shared,
          port: backend.port,
          position: mqttName === undefined ? undefined : `MQ#${mqttName}#changes`,
          createStream: createTables,
          settled,
        })
      : pollSeconds !== undefined && backend.engine === undefined
        ? polledFeed({ ...shared, everyMs: pollSeconds * 1000 })
        : shadowFeed(backend, shared, unserved);
  const { manager } = feed;
  const rollouts = openRollouts(
    backend.port,
    manager,
    { clock, logger, ...store },
    server === undefined ? {} : { runner: server },
  );
  const runner = new RolloutRunner({ rollouts, clock, logger });
  const onChanged = () => runner.wake();
  const routes = [
    ...shadowRoutes(manager, clock, feed, policies),
    ...rolloutRoutes({ rollouts, onChanged, policies }),
  ];
  return { name, table, manager, shadows: awsShadows(manager, clock), feed, runner, routes };
}

/** A folder has one server. Servers that share a table need different names to store sessions. */
function lastingName({ engine }: Backend, { mqttName }: Pick<ShadowConfig, "mqttName">): string | undefined {
  return mqttName ?? (engine === undefined ? undefined : folderBroker);
}

function connectionLog(backend: Backend, { shadows, clock, logger }: ResolvedServerOptions) {
  if (shadows === false) return undefined;
  const { name: table } = shadowTableSpec(shadows.store?.table);
  const server = lastingName(backend, shadows);
  return new ConnectionLog({ port: backend.port, table, server, clock, logger });
}

function sessionStore(backend: Backend, { shadows, clock, logger }: ResolvedServerOptions) {
  if (shadows === false) return undefined;
  const name = lastingName(backend, shadows);
  const { port } = backend;
  const { name: table } = shadowTableSpec(shadows.store?.table);
  return name === undefined ? undefined : tableSessionStore({ port, table, name, clock, logger });
}

function mqttClients(broker: MqttBroker): Metric {
  return readMetric("gauge", "tablekeep_mqtt_clients", "Connected MQTT clients.", () => broker.clients());
}

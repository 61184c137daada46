import { createServer, type Socket } from "node:net";
import type { Clock } from "@tablekeep/core";
import { createWebSocketStream, WebSocketServer } from "ws";
import type { UpgradeRoute } from "../../http/upgrade-route.ts";
import { hostAndPort, type ListenPlace, listen } from "../../listen.ts";
import type { Listener } from "../../listener.ts";
import type { MqttBroker } from "./mqtt-broker.ts";
import { mqttLimits } from "./mqtt-limits.ts";

/** MQTT on one port. Stopping it lets what clients asked for be done and answered. */
export function mqttListener(place: ListenPlace, broker: MqttBroker, clock: Clock): Listener {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.setNoDelay(true);
    broker.handle(socket, socket.remoteAddress ?? "");
  });
  server.maxConnections = mqttLimits.connections;
  return {
    name: place.listener,
    purpose: "MQTT, for device shadows",
    async start() {
      const port = await listen(server, place);
      return `mqtt://${hostAndPort(place.host, port)}`;
    },
    async stop(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const over = new Promise<void>((resolve) => {
        const cancel = clock.after(graceMs, resolve);
        void broker.idle().then(() => {
          cancel();
          resolve();
        });
      });
      await over;
      for (const socket of sockets) socket.destroySoon();
      await closed;
    },
  };
}

/** MQTT in a web socket, for pages. */
export function mqttSocketRoute(path: string, broker: MqttBroker): UpgradeRoute {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: 256 * 1024,
    handleProtocols: (offered) => (offered.has("mqtt") ? "mqtt" : false),
  });
  return {
    path,
    // Clients sign in with MQTT's own words.
    access: "anybody",
    take(request, socket, head, stopping) {
      server.handleUpgrade(request, socket, head, (client) => {
        const end = () => void broker.idle().then(() => client.close(1001));
        stopping.addEventListener("abort", end, { once: true });
        client.once("close", () => stopping.removeEventListener("abort", end));
        broker.handle(createWebSocketStream(client), request.socket.remoteAddress ?? "");
      });
    },
  };
}

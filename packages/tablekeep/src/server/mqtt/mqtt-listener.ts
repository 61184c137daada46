import { createServer, type Server, type Socket } from "node:net";
import { createServer as createSecureServer, type TLSSocket } from "node:tls";
import type { Clock } from "@tablekeep/core";
import { createWebSocketStream, WebSocketServer } from "ws";
import type { UpgradeRoute } from "../http/upgrades.ts";
import type { Listener } from "../listening/listener.ts";
import { hostAndPort, type ListenTarget, listen } from "../listening/listener.ts";
import type { Certificate } from "../options/option-checks.ts";
import type { MqttBroker } from "./mqtt-broker.ts";
import { mqttLimits } from "./protocol/mqtt-limits.ts";
import type { RejectionLog } from "./rejection-log.ts";

/** Options of an MQTT listener. */
export interface MqttListenerOptions {
  readonly target: ListenTarget;
  readonly broker: Pick<MqttBroker, "handle" | "idle" | "announceEnd">;
  readonly clock: Clock;
  /** Where clients are logged whose certificate or TLS handshake is rejected. @default nowhere */
  readonly rejections?: Pick<RejectionLog, "add">;
  /** The certificate for TLS. @default none: plain TCP */
  readonly certificate?: Certificate;
  /** Certificate authorities, in PEM, of client certificates. @default none */
  readonly clientCa?: string | Buffer;
  /** Milliseconds for the TLS handshake. @default the time for MQTT's CONNECT */
  readonly handshakeMs?: number;
}

/** MQTT on one port. Stopping it finishes and answers the requests in flight. */
export function mqttListener(options: MqttListenerOptions): Listener {
  const { target, broker, clock, certificate } = options;
  const sockets = new Set<Socket>();
  // Includes those in a TLS handshake.
  const connections = new Set<Socket>();
  const server = serverWith(options, (socket) => {
    keepWhileOpen(sockets, socket);
    socket.setNoDelay(true);
    const address = socket.remoteAddress ?? "";
    const { clientCa, rejections } = options;
    const presented = clientCa === undefined ? {} : clientCertificate(socket as TLSSocket);
    if (presented.problem === undefined) {
      broker.handle(socket, { address, certificateName: presented.name });
      return;
    }
    const { problem: reason, name: certificate, issuer } = presented;
    rejections?.add({ from: address, reason, names: { certificate, issuer } });
    socket.destroy();
  });
  server.on("connection", (socket) => keepWhileOpen(connections, socket));
  server.maxConnections = mqttLimits.connections;
  return {
    name: target.listener,
    server,
    purpose: "MQTT, for device shadows",
    async start() {
      const port = await listen(server, target);
      return `${certificate === undefined ? "mqtt" : "mqtts"}://${hostAndPort(target.host, port)}`;
    },
    async stop(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A client that does not read would never receive its last responses.
      const cancel = clock.after(graceMs, () => {
        for (const socket of connections) socket.destroy();
      });
      void broker.idle().then(() => {
        broker.announceEnd();
        for (const socket of sockets) socket.destroySoon();
      });
      await closed;
      cancel();
    },
  };
}

function keepWhileOpen(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
}

/** The certificate of a client, if it has one. */
interface ClientCertificate {
  /** The common name. */
  readonly name?: string;
  /** The common name of the authority. */
  readonly issuer?: string;
  /** Why the client is rejected. */
  readonly problem?: string;
}

function clientCertificate(socket: TLSSocket): ClientCertificate {
  const { subject, issuer } = socket.getPeerCertificate();
  if (subject === undefined) return {};
  const names = { name: oneName(subject.CN), issuer: oneName(issuer.CN) };
  if (!socket.authorized)
    return { ...names, problem: `the certificate is not valid: ${String(socket.authorizationError)}` };
  if (names.name === undefined || names.name === "")
    return { ...names, problem: "the certificate has no common name, or several" };
  return names;
}

/** Of several names, Node returns an array. */
function oneName(name: unknown): string | undefined {
  return typeof name === "string" ? name : undefined;
}

/** The TLS handshake has the same time limit as CONNECT. */
function serverWith(options: MqttListenerOptions, onSocket: (socket: Socket) => void): Server {
  const { certificate, clientCa, rejections } = options;
  const { handshakeMs: handshakeTimeout = mqttLimits.connectMs } = options;
  if (certificate === undefined) return createServer(onSocket);
  const { key, cert } = certificate;
  // Clients without a certificate may have a password, which is checked at CONNECT.
  const clients =
    clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: false };
  const tls = { key, cert, minVersion: "TLSv1.2", handshakeTimeout, ...clients } as const;
  const server = createSecureServer(tls, onSocket);
  // Node reports the timeout, and leaves the connection open.
  return server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    // A client that hangs up, such as a health check, is not rejected.
    if (error.code !== "ECONNRESET")
      rejections?.add({
        from: socket.remoteAddress ?? "",
        reason: `the TLS handshake failed: ${error.code ?? error.message}`,
        names: {},
      });
    socket.destroy();
  });
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
    // The access rules of the HTTP listener apply; MQTT's own authentication comes in addition, if it has users.
    access: "users",
    serve({ request, socket, head, stopping, user }) {
      server.handleUpgrade(request, socket, head, (client) => {
        const end = () =>
          void broker.idle().then(() => {
            broker.announceEnd();
            client.close(1001);
          });
        stopping.addEventListener("abort", end, { once: true });
        client.once("close", () => stopping.removeEventListener("abort", end));
        broker.handle(createWebSocketStream(client), {
          address: request.socket.remoteAddress ?? "",
          httpUser: user,
        });
      });
    },
  };
}

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { certificate } from "../../../test/smtp/certificate.ts";
import { startTestServer } from "../../testing/start-test-server.ts";

const only = { mail: false, dynamodb: false, stopGraceMs: 100 } as const;

async function connected(mqttUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(mqttUrl);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

test("a subscriber that stops reading does not keep the server from stopping", async () => {
  const server = await startTestServer(only);
  const socket = await connected(server.mqttUrl);
  // CONNECT without a client id, SUBSCRIBE to flood with QoS 0.
  socket.write(Buffer.from([0x10, 12, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 0, 0, 0]));
  socket.write(Buffer.concat([Buffer.from([0x82, 10, 0, 1, 0, 5]), Buffer.from("flood"), Buffer.from([0])]));
  for (let bytes = 0; bytes < 4 + 5; bytes += (await once(socket, "data"))[0].length);
  socket.pause();
  const body = "x".repeat(100_000);
  for (let sent = 0; sent < 200; sent++) {
    const { status } = await fetch(new URL("/topics/flood", server.url), { method: "POST", body });
    expect(status).toBe(200);
  }
  await server.stop();
  socket.destroy();
});

test("a client that never starts its TLS handshake does not either", async () => {
  const server = await startTestServer({ ...only, shadows: { certificate } });
  const socket = await connected(server.mqttUrl);
  await server.stop();
  socket.destroy();
});

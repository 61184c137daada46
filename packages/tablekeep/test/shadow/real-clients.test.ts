/**
 * Third-party clients on the shadow topics: mosquitto's and AWS's device SDK for JavaScript, v2. The builders of the SDK
 * that are named after AWS IoT always use TLS; a connection that is made without a TLS context goes over plain TCP, by
 * MQTT 3.1.1 and 5, and by its shadow clients of both generations. The others are in
 * `src/server/shadow/shadow-part.test.ts`.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { io, iot, iotshadow, mqtt, mqtt5 } from "aws-iot-device-sdk-v2";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTestServer } from "../../src/testing/start-test-server.ts";
import { describeWith } from "../describe-with.ts";
import { certificate } from "../smtp/certificate.ts";
import { deviceFile } from "./device-file.ts";
import { startShadows } from "./start-shadows.ts";

const run = promisify(execFile);

describeWith("mosquitto_pub", "--help", () => {
  /** Runs mosquitto_sub for `count` messages; resolves to them once all have arrived. */
  function subscribe(port: number, filter: string, count: number) {
    const place = ["-h", "127.0.0.1", "-p", String(port), "-d", "-v"];
    const args = [...place, "-q", "1", "-t", filter, "-C", String(count), "-W", "15"];
    // Line by line: otherwise it is not seen before the end that it has subscribed.
    const child = spawn("stdbuf", ["-oL", "mosquitto_sub", ...args]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const lines: string[] = [];
    const reader = createInterface({ input: child.stdout });
    const isSubscribed = new Promise<void>((resolve) =>
      reader.on("line", (line) => {
        if (line.startsWith("$aws/")) lines.push(line);
        if (line.startsWith("Subscribed")) resolve();
      }),
    );
    const messages = once(reader, "close").then(() =>
      lines.map((line) => {
        const [topic = ""] = line.split(" ", 1);
        return [topic, JSON.parse(line.slice(topic.length))] as const;
      }),
    );
    return { isSubscribed, messages };
  }

  test("updates and deletes; mosquitto_sub receives the responses", async () => {
    const { mqttPort } = await startShadows();
    const topic = "$aws/things/lamp/shadow";
    const listener = subscribe(mqttPort, `${topic}/+/+`, 5);
    await listener.isSubscribed;
    const publish = (to: string, message: string) => {
      const args = ["-h", "127.0.0.1", "-p", String(mqttPort), "-q", "1", "-t", `${topic}/${to}`];
      return run("mosquitto_pub", [...args, "-m", message]);
    };
    await publish("update", '{"state":{"desired":{"on":true}},"clientToken":"m"}');
    await publish("update", '{"state":{"reported":{"on":true}},"version":7}');
    await publish("delete", "{}");
    expect(await listener.messages).toMatchObject([
      [`${topic}/update/delta`, { state: { on: true }, version: 1, clientToken: "m" }],
      [`${topic}/update/documents`, { current: { version: 1 } }],
      [`${topic}/update/accepted`, { state: { desired: { on: true } }, version: 1 }],
      [`${topic}/update/rejected`, { code: 409 }],
      [`${topic}/delete/accepted`, { version: 1 }],
    ]);
  });

  test("by QoS 0, its default, is answered as by QoS 1; mosquitto_sub receives every message of a wildcard", async () => {
    const { mqttPort } = await startShadows();
    const listener = subscribe(mqttPort, "$aws/things/+/shadow/#", 4 * 5);
    await listener.isSubscribed;
    const topic = "$aws/things/lamp/shadow/update";
    for (let count = 1; count <= 5; count++) {
      const message = JSON.stringify({ state: { desired: { count } } });
      await run("mosquitto_pub", ["-h", "127.0.0.1", "-p", String(mqttPort), "-t", topic, "-m", message]);
    }
    const kinds = (await listener.messages).map(([name]) => name.slice(topic.length));
    const count = (kind: string) => kinds.filter((each) => each === kind).length;
    expect(["", "/delta", "/documents", "/accepted"].map(count)).toEqual([5, 5, 5, 5]);
  });

  test("over MQTT 5 receives the properties of messages", async () => {
    const { mqttPort } = await startShadows();
    const place = ["-V", "mqttv5", "-h", "127.0.0.1", "-p", String(mqttPort), "-t", "news"];
    const args = [...place, "-C", "1", "-d", "-F", "%p %C %P %R", "-W", "15"];
    const listener = spawn("stdbuf", ["-oL", "mosquitto_sub", ...args]);
    onTestFinished(() => void listener.kill("SIGKILL"));
    const lines: string[] = [];
    const reader = createInterface({ input: listener.stdout });
    const ended = once(reader, "close");
    await new Promise<void>((resolve) =>
      reader.on("line", (line) => {
        lines.push(line);
        if (line.startsWith("Subscribed")) resolve();
      }),
    );
    const properties = ["content-type text/plain", "user-property key value", "response-topic answers"];
    const sent = properties.flatMap((each) => ["-D", "publish", ...each.split(" ")]);
    await run("mosquitto_pub", [...place, "-q", "1", "-m", "hello", ...sent]);
    await ended;
    expect(lines).toContain("hello text/plain key:value answers");
  });
});

describe("aws-iot-device-sdk-v2", () => {
  /** A connection without TLS. */
  async function connected(port: number, clientId: string): Promise<mqtt.MqttClientConnection> {
    const client = new mqtt.MqttClient(new io.ClientBootstrap());
    const connection = client.new_connection({
      client_id: clientId,
      host_name: "127.0.0.1",
      port,
      socket_options: new io.SocketOptions(),
      clean_session: true,
    });
    await connection.connect();
    onTestFinished(() => connection.disconnect());
    return connection;
  }
  const atLeastOnce = mqtt.QoS.AtLeastOnce;
  const limits = {
    maxRequestResponseSubscriptions: 8,
    maxStreamingSubscriptions: 4,
    operationTimeoutInSeconds: 15,
  };

  test("its current client gets, updates and deletes classic and named shadows, and receives errors", async () => {
    const { mqttPort } = await startShadows();
    const connection = await connected(mqttPort, "v2");
    const shadows = iotshadow.IotShadowClientv2.newFromMqtt311(connection, limits);
    onTestFinished(() => shadows.close());
    const thing = { thingName: "lamp" };
    const missing = await shadows.getShadow(thing).catch((error: unknown) => error);
    expect(missing).toMatchObject({ modeledError: { code: 404 } });
    const updated = await shadows.updateShadow({ ...thing, state: { desired: { on: true } } });
    expect(updated).toMatchObject({ state: { desired: { on: true } }, version: 1 });
    expect(await shadows.getShadow(thing)).toMatchObject({ state: { delta: { on: true } }, version: 1 });
    const stale = shadows.updateShadow({ ...thing, state: { reported: { on: true } }, version: 7 });
    await expect(stale).rejects.toMatchObject({ modeledError: { code: 409 } });
    const named = { ...thing, shadowName: "climate" };
    await shadows.updateNamedShadow({ ...named, state: { reported: { celsius: 21.5 } } });
    expect(await shadows.getNamedShadow(named)).toMatchObject({ state: { reported: { celsius: 21.5 } } });
    expect(await shadows.deleteNamedShadow(named)).toMatchObject({ version: 1 });
    expect(await shadows.deleteShadow(thing)).toMatchObject({ version: 1 });
  });

  test("its streams report to a device what changed and what is left to do", async () => {
    const { mqttPort, http } = await startShadows();
    const shadows = iotshadow.IotShadowClientv2.newFromMqtt311(await connected(mqttPort, "streams"), limits);
    onTestFinished(() => shadows.close());
    const streams = [
      shadows.createShadowDeltaUpdatedStream({ thingName: "lamp" }),
      shadows.createShadowUpdatedStream({ thingName: "lamp" }),
    ] as const;
    const established = streams.map((stream) => once(stream, "subscriptionStatus"));
    const received = Promise.all(streams.map((stream) => once(stream, "incomingPublish")));
    for (const stream of streams) stream.open();
    await Promise.all(established);
    const body = '{"state":{"desired":{"on":true}}}';
    expect((await fetch(`${http}/things/lamp/shadow`, { method: "POST", body })).status).toBe(200);
    expect(await received).toMatchObject([
      [{ message: { state: { on: true }, version: 1 } }],
      [{ message: { current: { state: { desired: { on: true } }, version: 1 } } }],
    ]);
    for (const stream of streams) stream.close();
  });

  test("its client of MQTT 5 gets, updates and deletes shadows, receives errors, and streams changes", async () => {
    const { mqttPort } = await startShadows();
    const client = new mqtt5.Mqtt5Client({
      hostName: "127.0.0.1",
      port: mqttPort,
      connectProperties: { clientId: "five", keepAliveIntervalSeconds: 60 },
    });
    const connected = once(client, "connectionSuccess");
    client.start();
    await connected;
    onTestFinished(async () => {
      const stopped = once(client, "stopped");
      client.stop();
      await stopped;
      client.close();
    });
    const shadows = iotshadow.IotShadowClientv2.newFromMqtt5(client, limits);
    onTestFinished(() => shadows.close());
    const thing = { thingName: "lamp" };
    const missing = await shadows.getShadow(thing).catch((error: unknown) => error);
    expect(missing).toMatchObject({ modeledError: { code: 404 } });
    const stream = shadows.createShadowDeltaUpdatedStream(thing);
    const established = once(stream, "subscriptionStatus");
    const delta = once(stream, "incomingPublish");
    stream.open();
    await established;
    const updated = await shadows.updateShadow({ ...thing, state: { desired: { on: true } } });
    expect(updated).toMatchObject({ state: { desired: { on: true } }, version: 1 });
    expect(await delta).toMatchObject([{ message: { state: { on: true }, version: 1 } }]);
    const stale = shadows.updateShadow({ ...thing, state: { reported: { on: true } }, version: 7 });
    await expect(stale).rejects.toMatchObject({ modeledError: { code: 409 } });
    const named = { ...thing, shadowName: "climate" };
    await shadows.updateNamedShadow({ ...named, state: { reported: { celsius: 21.5 } } });
    expect(await shadows.getNamedShadow(named)).toMatchObject({ state: { reported: { celsius: 21.5 } } });
    expect(await shadows.deleteShadow(thing)).toMatchObject({ version: 1 });
    stream.close();
  });

  test("its mTLS builder connects, as the user that the certificate names", async () => {
    const server = await startTestServer({
      mail: false,
      shadows: { certificate, clientCa: deviceFile("ca.pem"), ownThingOnly: true },
    });
    onTestFinished(() => server.stop());
    const config = iot.AwsIotMqttConnectionConfigBuilder.new_mtls_builder(
      deviceFile("lamp.pem").toString(),
      deviceFile("lamp-key.pem").toString(),
    )
      .with_certificate_authority(certificate.cert.toString())
      .with_client_id("any-id")
      .with_endpoint("localhost")
      .with_port(Number(new URL(server.mqttUrl).port))
      .with_clean_session(true)
      .build();
    const connection = new mqtt.MqttClient(new io.ClientBootstrap()).new_connection(config);
    await connection.connect();
    onTestFinished(() => connection.disconnect());
    const shadows = iotshadow.IotShadowClientv2.newFromMqtt311(connection, limits);
    onTestFinished(() => shadows.close());
    const updated = await shadows.updateShadow({ thingName: "lamp", state: { reported: { on: true } } });
    expect(updated).toMatchObject({ version: 1 });
  });

  test("its older client subscribes, publishes and matches its response by the client token", async () => {
    const { mqttPort } = await startShadows();
    const shadows = new iotshadow.IotShadowClient(await connected(mqttPort, "v1"));
    const thing = { thingName: "lamp" };
    const accepted = new Promise<unknown>((resolve, reject) => {
      const onUpdate = (error: unknown, response: unknown) =>
        error ? reject(error as Error) : resolve(response);
      shadows.subscribeToUpdateShadowAccepted(thing, atLeastOnce, onUpdate).then(async () => {
        const request = { ...thing, state: { reported: { on: false } }, clientToken: "mine" };
        await shadows.publishUpdateShadow(request, atLeastOnce);
      }, reject);
    });
    expect(await accepted).toMatchObject({
      state: { reported: { on: false } },
      version: 1,
      clientToken: "mine",
    });
  });
});

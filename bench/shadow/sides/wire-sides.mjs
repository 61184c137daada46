import { Agent, request } from "node:http";
import { connectAsync } from "mqtt";

const half = { on: true, level: 5, name: "x".repeat(200) };
const document = (count) =>
  JSON.stringify({
    state: { reported: { ...half, level: count % 100 }, desired: half },
    clientToken: String(count),
  });

/** Updates over HTTP: one connection a lane, and status 200 is the answer. */
export function restSide(url) {
  const agent = new Agent({ keepAlive: true });
  let count = 0;
  return {
    update: (thing) =>
      new Promise((resolve, reject) => {
        const sent = request(new URL(`/things/${thing}/shadow`, url), { method: "POST", agent }, (answer) => {
          answer.resume();
          if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
          answer.once("end", resolve);
        });
        sent.once("error", reject);
        sent.end(document(++count));
      }),
    close: () => agent.destroy(),
  };
}

/** Updates over MQTT: one connection a lane, QoS 1, and the message `accepted` with its client token is the answer. */
export function mqttSide(url) {
  const lanes = new Map();
  let count = 0;
  const lane = async (thing) => {
    const client = await connectAsync(url);
    const topic = `$aws/things/${thing}/shadow/update`;
    const waiting = new Map();
    client.on("message", (_topic, payload) => {
      const { clientToken } = JSON.parse(payload.toString());
      waiting.get(clientToken)?.();
      waiting.delete(clientToken);
    });
    await client.subscribeAsync(`${topic}/accepted`, { qos: 0 });
    return { client, topic, waiting };
  };
  return {
    async update(thing) {
      if (!lanes.has(thing)) lanes.set(thing, await lane(thing));
      const { client, topic, waiting } = lanes.get(thing);
      const number = ++count;
      const accepted = new Promise((resolve) => waiting.set(String(number), resolve));
      client.publish(topic, document(number), { qos: 1 });
      await accepted;
    },
    async close() {
      for (const { client } of lanes.values()) await client.endAsync(true);
    },
  };
}

import { connectAsync } from "mqtt";

/** An update that was accepted: a key that nobody else writes, and the version that it made. */
export interface Accepted {
  readonly thing: string;
  readonly key: string;
  readonly version: number;
}

/** Sends updates one after the other until the server is gone, or `count` were sent. Each adds its own key. */
export interface UpdateWriter {
  readonly base: string;
  readonly thing: string;
  /** The prefix of its keys. */
  readonly name: string;
  readonly count: number;
  readonly onAccepted: (accepted: Accepted) => void;
}

const document = (key: string) => JSON.stringify({ state: { reported: { [key]: 1 } }, clientToken: key });

/** By HTTP, where status 200 accepts. */
export async function writeByRest({ base, thing, name, count, onAccepted }: UpdateWriter): Promise<void> {
  for (let at = 0; at < count; at++) {
    const key = `${name}${at}`;
    const request = fetch(new URL(`/things/${thing}/shadow`, base), { method: "POST", body: document(key) });
    const answer = await request
      .then(async (response) => ({ status: response.status, body: (await response.json()) as object }))
      .catch(() => undefined);
    if (answer === undefined) return;
    if (answer.status === 200) onAccepted({ thing, key, version: (answer.body as Accepted).version });
  }
}

/** By MQTT, where a message with the update's client token on the topic `accepted` accepts. */
export async function writeByMqtt({ base, thing, name, count, onAccepted }: UpdateWriter): Promise<void> {
  const client = await connectAsync(base, { reconnectPeriod: 0 }, false).catch(() => undefined);
  if (client === undefined) return;
  client.on("error", () => {});
  const gone = new Promise<undefined>((resolve) => client.once("close", () => resolve(undefined)));
  const topic = `$aws/things/${thing}/shadow/update`;
  let answered: (output: { topic: string; version: number }) => void = () => {};
  let expected = "";
  client.on("message", (on, payload) => {
    const output = JSON.parse(payload.toString()) as { clientToken: string; version: number };
    if (output.clientToken === expected) answered({ topic: on, version: output.version });
  });
  await Promise.race([client.subscribeAsync([`${topic}/accepted`, `${topic}/rejected`]), gone]).catch(
    () => {},
  );
  for (let at = 0; at < count && client.connected; at++) {
    const key = `${name}${at}`;
    expected = key;
    const answer = new Promise<{ topic: string; version: number }>((resolve) => {
      answered = resolve;
    });
    client.publish(topic, document(key), { qos: 1 });
    const output = await Promise.race([answer, gone]);
    if (output?.topic === `${topic}/accepted`) onAccepted({ thing, key, version: output.version });
  }
  await client.endAsync(true);
}

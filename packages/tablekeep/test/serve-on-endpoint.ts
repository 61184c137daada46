import { expect } from "vitest";
import { runMain, startMain } from "./run-main.ts";

/** Flags that let the system choose the ports. */
export const anyPorts = ["--http-port", "0", "--smtp-port", "0", "--mqtt-port", "0"];

/** The addresses of a server that runs briefly. */
export interface ServedMoment {
  readonly http: string;
  readonly listeners: readonly string[];
  readonly storage: string;
}

/** Runs `serve` with these flags while `check` runs. */
export async function serveFor(
  flags: readonly string[],
  check: (at: ServedMoment) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const run = startMain(["serve", "--json", ...anyPorts, ...flags], env);
  await Promise.race([
    expect.poll(run.stdout).toContain("\n"),
    run.result.then(({ stderr }) => {
      throw new Error(stderr);
    }),
  ]);
  try {
    const { listeners, storage } = JSON.parse(run.stdout()) as {
      listeners: { name: string; url: string }[];
      storage: string;
    };
    const http = listeners.find(({ name }) => name === "http")?.url ?? "";
    await check({ http, listeners: listeners.map(({ name }) => name), storage });
  } finally {
    run.interrupt();
    expect(await run.result).toMatchObject({ code: 0, stderr: "" });
  }
}

/** Runs `serve` with flags that keep it from starting. */
export function serveFailing(flags: readonly string[]): ReturnType<typeof runMain> {
  return runMain(["serve", ...anyPorts, ...flags]);
}

/** Puts one message, one event and one shadow into a server. */
export async function fill({ http }: ServedMoment): Promise<void> {
  const sent = await fetch(`${http}api/v3/mail/messages?to=a@b.example`, {
    method: "POST",
    body: "subject: kept\r\n\r\nx",
  });
  expect(sent.status).toBe(201);
  const shadow = await fetch(`${http}things/lamp/shadow`, {
    method: "POST",
    body: '{"state":{"desired":{"on":true}}}',
  });
  expect(shadow.status).toBe(200);
}

/** Reads what {@link fill} has stored. */
export async function filled({ http }: ServedMoment): Promise<unknown> {
  const messages = await (await fetch(`${http}api/v3/mail/messages`)).json();
  const shadow = await (await fetch(`${http}things/lamp/shadow`)).json();
  return {
    subjects: (messages as { messages: { subject: string }[] }).messages.map(({ subject }) => subject),
    state: (shadow as { state: unknown }).state,
  };
}

/** The result of {@link filled} after {@link fill}. */
export const whole = {
  subjects: ["kept"],
  state: { desired: { on: true }, delta: { on: true } },
};

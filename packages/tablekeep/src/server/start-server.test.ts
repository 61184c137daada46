import { describe, expect, test } from "vitest";
import { isServerError } from "./server-error.ts";
import { startServer } from "./start-server.ts";

describe("startServer", () => {
  test("stopping twice is stopping once, and the port is free afterwards", async () => {
    const first = await startServer({ httpPort: 0 });
    const port = Number(new URL(first.listeners[0]?.url ?? "").port);
    await Promise.all([first.stop(), first.stop()]);
    const second = await startServer({ httpPort: port });
    await second[Symbol.asyncDispose]();
  });

  test("a port that is taken rejects with a typed error, and nothing stays behind", async () => {
    const holder = await startServer({ httpPort: 0 });
    const port = Number(new URL(holder.listeners[0]?.url ?? "").port);
    const error = await startServer({ httpPort: port }).catch((thrown: unknown) => thrown);
    expect(isServerError(error, "SERVER_PORT_TAKEN") && error.details).toEqual({
      listener: "http",
      host: "127.0.0.1",
      port,
    });
    await holder.stop();
  });

  test("an address of another machine is told apart from a taken port", async () => {
    const options = { httpPort: 0, host: "203.0.113.1", allowAnonymous: true };
    await expect(startServer(options)).rejects.toMatchObject({ code: "SERVER_HOST_UNAVAILABLE" });
  });

  test("an aborted signal stops it", async () => {
    const stop = new AbortController();
    const server = await startServer({ httpPort: 0, signal: stop.signal });
    const url = server.listeners[0]?.url ?? "";
    expect((await fetch(url)).status).toBe(200);
    stop.abort();
    await server.stop();
    await expect(fetch(url)).rejects.toThrow();
  });

  test("IPv6 loopback is served and written with brackets", async (context) => {
    const server = await startServer({ httpPort: 0, host: "::1" }).catch((error: unknown) => {
      if (isServerError(error, "SERVER_HOST_UNAVAILABLE")) return context.skip("this machine has no IPv6");
      throw error;
    });
    const url = server.listeners[0]?.url ?? "";
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/$/);
    expect((await fetch(`${url}healthz`)).status).toBe(200);
    await server.stop();
  });
});

import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createTransport } from "nodemailer";
import { createSignUps, type SignUps } from "./sign-ups.ts";
import { welcomeMail } from "./welcome-mail.ts";

const maxBodyBytes = 1_000;

interface Reply {
  readonly status: number;
  readonly body: object;
}

interface Service {
  readonly signUps: SignUps;
  sendWelcome(email: string): Promise<void>;
}

/**
 * Serves sign-ups over HTTP, and sends mail over SMTP to `smtpUrl`. `POST /sign-ups` with `{"email"}` sends a mail;
 * `GET /confirm?token=` and `POST /confirm` with `{"email","code"}` confirm the address; `GET /sign-ups/EMAIL` shows it.
 */
export function signUpServer(smtpUrl: string): Server {
  const signUps = createSignUps();
  const transport = createTransport(smtpUrl);
  const service: Service = {
    signUps,
    async sendWelcome(email) {
      const secrets = signUps.start(email);
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      if (secrets !== undefined) await transport.sendMail(welcomeMail(email, secrets, url));
    },
  };
  const server = createServer((request, response) => {
    const send = ({ status, body }: Reply) =>
      response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`);
    answer(service, request).then(send, () => send(notSent));
  });
  return server;
}

async function answer({ signUps, sendWelcome }: Service, request: IncomingMessage): Promise<Reply> {
  const url = new URL(request.url ?? "/", "http://service");
  switch (`${request.method} ${url.pathname.split("/")[1]}`) {
    case "POST sign-ups": {
      const { email } = await bodyOf(request);
      if (email === undefined) return { status: 400, body: { error: "email is missing" } };
      await sendWelcome(email);
      // The same response for known addresses, so that members cannot be found out.
      return { status: 202, body: { email } };
    }
    case "GET sign-ups": {
      const email = decodeURIComponent(url.pathname.slice("/sign-ups/".length));
      return { status: 200, body: { email, confirmed: signUps.isConfirmed(email) } };
    }
    case "GET confirm": {
      const email = signUps.confirmByToken(url.searchParams.get("token") ?? "");
      return email === undefined ? notConfirmed : { status: 200, body: { email, confirmed: true } };
    }
    case "POST confirm": {
      const { email = "", code = "" } = await bodyOf(request);
      return signUps.confirmByCode(email, code)
        ? { status: 200, body: { email, confirmed: true } }
        : notConfirmed;
    }
    default:
      return { status: 404, body: { error: "not found" } };
  }
}

const notSent: Reply = { status: 503, body: { error: "the mail could not be sent (try again)" } };
const notConfirmed: Reply = { status: 403, body: { error: "wrong code or link (sign up again)" } };

/** Returns the valid members of a body. */
async function bodyOf(request: IncomingMessage): Promise<{ email?: string; code?: string }> {
  let text = "";
  for await (const chunk of request as AsyncIterable<Buffer>) {
    text += chunk.toString("latin1");
    if (text.length > maxBodyBytes) return {};
  }
  const { email, code } = parsed(text);
  return {
    ...(typeof email === "string" && /^[\w.+-]+@[\w-]+(\.[\w-]+)+$/.test(email) && { email }),
    ...(typeof code === "string" && { code }),
  };
}

function parsed(text: string): { readonly email?: unknown; readonly code?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

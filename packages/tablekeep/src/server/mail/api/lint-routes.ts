import type { LintOptions } from "@tablekeep/mail/lint";
import { type ApiRoute, HttpError } from "../../http/http-route.ts";
import { jsonAnswer, listOf, objectOf, pathParameter, queryParameter, text } from "../../http/openapi.ts";
import { sendJson } from "../../http/responses.ts";
import type { ServedMail } from "../served-mail.ts";

const finding = objectOf({
  rule: text,
  severity: { enum: ["error", "warning", "info"] },
  message: text,
  fix: text,
  page: text,
  where: text,
});

/** The mail API: what is wrong with a message. */
export function lintRoutes({ mail, linter }: ServedMail): ApiRoute[] {
  return [
    {
      method: "GET",
      path: "/api/v3/mail/messages/:id/lint",
      access: "users",
      describe: {
        operationId: "lintMessage",
        summary: "Checks a message, without a network.",
        tags: ["mail"],
        parameters: [
          pathParameter("id", "The id of the message."),
          queryParameter("client", "A mail client to check HTML and CSS for; repeatable.", listOf(text)),
          queryParameter("ignore", "A rule to skip; repeatable.", listOf(text)),
          queryParameter("allowHost", "A host that links may lead to; repeatable.", listOf(text)),
          queryParameter("bulk", "The message is bulk mail.", { enum: ["true", "false"], default: "false" }),
        ],
        responses: { 200: jsonAnswer("The findings.", objectOf({ findings: listOf(finding) })) },
      },
      async handle({ params, query, response, signal }) {
        const message = await mail.load(params["id"] ?? "", { signal });
        if (message === undefined) throw new HttpError(404, "no such message");
        const findings = await linter.lint(message.raw, lintOptions(query), { signal });
        sendJson(response, 200, { findings });
      },
    },
  ];
}

/** The lint itself rejects invalid options. */
function lintOptions(query: URLSearchParams): LintOptions {
  const clients = query.getAll("client");
  return {
    ...(clients.length > 0 && { clients }),
    ignore: query.getAll("ignore") as LintOptions["ignore"],
    allowHosts: query.getAll("allowHost"),
    bulk: query.get("bulk") === "true",
  };
}

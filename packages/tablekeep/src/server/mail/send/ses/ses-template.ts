import { type JsonRecord, optionalText, record } from "../request-fields.ts";
import { badRequest, noTemplate } from "./ses-error.ts";

/** The text of a rendered template. */
export interface RenderedTemplate {
  readonly subject: string;
  readonly text?: string;
  readonly html?: string;
}

/**
 * Renders the template of a request. Supports variables, including those of nested objects: `{{name}}`, `{{user.name}}`. As in SES, values
 * are not escaped. Throws for a template by name, since none is stored, and for the blocks of Handlebars.
 */
export function renderTemplate(template: JsonRecord, data: JsonRecord): RenderedTemplate {
  const given = template["TemplateContent"];
  if (given === undefined || given === null)
    throw noTemplate(optionalText(template, "TemplateName") ?? optionalText(template, "TemplateArn") ?? "");
  const content = record(given, "TemplateContent");
  const render = (name: string) => {
    const source = optionalText(content, name);
    return source === undefined ? undefined : rendered(source, data);
  };
  return { subject: render("Subject") ?? "", text: render("Text"), html: render("Html") };
}

/** Parses the JSON of TemplateData. */
export function templateData(text: string | undefined): JsonRecord {
  if (text === undefined || text === "") return {};
  try {
    return record(JSON.parse(text), "TemplateData");
  } catch {
    throw badRequest("Template data is not valid JSON.");
  }
}

function rendered(source: string, data: JsonRecord): string {
  return source.replace(/\{\{\{?([^{}]*)\}?\}\}/g, (_, expression: string) => {
    const path = expression.trim();
    if (!/^[\w-]+(?:\.[\w-]+)*$/.test(path))
      throw badRequest(`Template expression {{${path.slice(0, 100)}}} is not supported: use variables only.`);
    const value = valueAt(data, path.split("."));
    if (value === undefined || value === null)
      throw badRequest(`Attribute '${path}' is not present in the rendering data.`);
    return typeof value === "object" ? JSON.stringify(value) : String(value as string | number | boolean);
  });
}

function valueAt(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as JsonRecord)[name];
  }
  return value;
}

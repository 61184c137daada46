/** The severity of a finding: an `error` breaks the message for readers or receivers, a `warning` for some of them. */
export type LintSeverity = "error" | "warning" | "info";

/** The subject of a rule, and what to do about its findings. */
export interface LintRule {
  /** The highest severity of its findings. */
  readonly severity: LintSeverity;
  readonly title: string;
  readonly fix: string;
}

/** All rules by id, in the order of the report. `docs/reference/mail-lint.md` has a section for each. */
export const lintRules = {
  "header-date": {
    severity: "error",
    title: "The header Date is present and valid",
    fix: "Set Date to the time of sending, such as Mon, 16 Nov 2026 10:30:00 +0000.",
  },
  "header-from": {
    severity: "error",
    title: "The header From has one address",
    fix: "Set From to one address with a domain, such as Shop <shop@example.com>.",
  },
  "header-message-id": {
    severity: "error",
    title: "The header Message-ID is present and valid",
    fix: "Set Message-ID to a unique value of the form <something@your-domain>.",
  },
  "header-to": {
    severity: "warning",
    title: "The message names a recipient",
    fix: "Set To, or Cc if there is no main recipient.",
  },
  "header-subject": {
    severity: "warning",
    title: "The message has a subject",
    fix: "Set Subject to a short description.",
  },
  "header-duplicate": {
    severity: "error",
    title: "Headers that must be unique occur once",
    fix: "Send the header once, with all its values.",
  },
  "header-encoding": {
    severity: "warning",
    title: "Headers are ASCII",
    fix: "Encode other characters according to RFC 2047; every mail library does.",
  },
  "line-length": {
    severity: "error",
    title: "No line is longer than 998 bytes",
    fix: "Encode the part as quoted-printable or base64, or fold the header.",
  },
  "list-unsubscribe": {
    severity: "warning",
    title: "Readers of bulk mail can unsubscribe with one click",
    fix: "Add List-Unsubscribe with an https address and List-Unsubscribe-Post: List-Unsubscribe=One-Click, and sign both with DKIM (RFC 8058).",
  },
  "text-part": {
    severity: "warning",
    title: "HTML has a plain-text alternative that is not empty",
    fix: "Send multipart/alternative with a text/plain part with the same content as the HTML.",
  },
  "html-size": {
    severity: "warning",
    title: "The HTML is at most 102 KB",
    fix: "Remove unused styles and comments, or link to a page for the rest. Gmail hides what follows.",
  },
  "message-size": {
    severity: "warning",
    title: "The message is at most 25 MB",
    fix: "Link to large files instead of attaching them: most receivers reject larger messages.",
  },
  "image-alt": {
    severity: "warning",
    title: "Images have a text alternative",
    fix: 'Add alt="…" to the image, and alt="" if it is only decoration.',
  },
  "image-missing": {
    severity: "error",
    title: "Images that the HTML embeds are part of the message",
    fix: "Attach the image with the Content-ID that the HTML names, or correct the name.",
  },
  "link-invalid": {
    severity: "error",
    title: "Links have a complete address",
    fix: "Write the whole address, such as https://shop.example.net/order. Readers have no page that a relative link could refer to.",
  },
  "link-insecure": { severity: "warning", title: "Links use https", fix: "Use https instead of http." },
  "link-placeholder": {
    severity: "warning",
    title: "Links lead to hosts that readers can reach",
    fix: "Replace the host with that of the real site, or allow it with allowHosts.",
  },
  "link-mismatch": {
    severity: "warning",
    title: "A link that shows an address leads to it",
    fix: "Show a description instead of an address, or link to the address that is shown. Spam filters treat other links as phishing.",
  },
  "template-rest": {
    severity: "error",
    title: "No placeholder of a template is left",
    fix: "Fill in the value, and check the name in the template.",
  },
  dkim: {
    severity: "error",
    title: "The DKIM signatures hold",
    fix: "Sign the message last, with the key whose public half is in the zone, and change nothing afterwards.",
  },
  spf: {
    severity: "error",
    title: "SPF allows the sender",
    fix: "Add the address of the sender to the SPF record of its domain, such as v=spf1 ip4:192.0.2.1 -all.",
  },
  dmarc: {
    severity: "error",
    title: "DKIM or SPF is aligned with From, as DMARC requires",
    fix: "Sign with d= of the domain of From, or send with a MAIL FROM of that domain; publish a policy at _dmarc.",
  },
  "html-feature": {
    severity: "warning",
    title: "Mail clients support the HTML and CSS",
    fix: "Add a fallback for the clients that do not support it, or do without it.",
  },
} as const;

export type LintRuleId = keyof typeof lintRules;

/** One problem of a message. */
export interface LintFinding {
  readonly rule: LintRuleId;
  readonly severity: LintSeverity;
  /** The problem, in one sentence without a period. */
  readonly message: string;
  /** What to do. */
  readonly fix: string;
  /** The section of the documentation about the rule. */
  readonly page: string;
  /** The place: a header, or a line of the HTML, counted from 1. */
  readonly where?: string;
}

/** The report of a rule. */
export type Report = (
  rule: LintRuleId,
  message: string,
  more?: { readonly where?: string; readonly severity?: LintSeverity },
) => void;

/** A finding of a rule. */
export function findingOf(
  id: LintRuleId,
  message: string,
  { where, severity }: { readonly where?: string; readonly severity?: LintSeverity } = {},
): LintFinding {
  const { fix, severity: usual } = lintRules[id];
  return {
    rule: id,
    severity: severity ?? usual,
    message,
    fix,
    page: `docs/reference/mail-lint.md#${id}`,
    ...(where !== undefined && { where }),
  };
}

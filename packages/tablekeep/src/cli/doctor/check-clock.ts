import { systemClock } from "@tablekeep/core";
import { CliError } from "../frame/cli-error.ts";
import { grouped } from "../frame/progress.ts";
import type { DoctorFinding } from "./doctor-finding.ts";

/** The time that the endpoint has to respond, in milliseconds. */
const answerMs = 5_000;

/** AWS rejects signatures that are 5 minutes off; the clock should be far from that. */
const maxSkewMs = 60_000;

/** The names of the check and of the setting of an endpoint. */
interface EndpointNames {
  readonly check: string;
  readonly option: string;
}

/** Compares the clock of this machine with the `Date` header of an endpoint. */
export async function checkClock(
  endpoint: string,
  signal: AbortSignal,
  { check, option }: EndpointNames = { check: "clock", option: "--endpoint" },
): Promise<DoctorFinding> {
  if (!/^https?:\/\//i.test(endpoint))
    return {
      check,
      status: "wrong",
      reason: "endpoint-invalid",
      details: { option, endpoint },
      message: `${option} must begin with http:// or https://, got ${JSON.stringify(endpoint)}`,
    };
  const late = new AbortController();
  const cancel = systemClock.after(answerMs, () => late.abort());
  let date: number;
  try {
    const limit = AbortSignal.any([signal, late.signal]);
    const answer = await fetch(endpoint, { signal: limit, redirect: "manual" });
    await answer.body?.cancel();
    date = Date.parse(answer.headers.get("date") ?? "");
  } catch (error) {
    if (signal.aborted) throw new CliError("CLI_ABORTED", "interrupted", error);
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    return {
      check,
      status: "wrong",
      reason: "endpoint-silent",
      details: { option, endpoint, error: reason },
      message: `${endpoint} does not answer (${reason}): start it, or correct ${option}`,
    };
  } finally {
    cancel();
  }
  if (Number.isNaN(date))
    return {
      check,
      status: "note",
      reason: "endpoint-without-date",
      details: { endpoint },
      message: `${endpoint} sends no date to compare the clock with`,
    };
  return skewFinding(Math.abs(date - systemClock.now()), endpoint, check);
}

function skewFinding(skewMs: number, endpoint: string, check: string): DoctorFinding {
  const skew = `the clock of this machine and that of ${endpoint} differ by ${grouped(Math.round(skewMs / 1000))} s`;
  const details = { endpoint, skewMs };
  return skewMs > maxSkewMs
    ? {
        check,
        status: "wrong",
        reason: "clock-differs",
        details,
        message: `${skew}: synchronize it, because signatures fail beyond 5 minutes`,
      }
    : { check, status: "ok", reason: "clock-in-step", details, message: skew };
}
